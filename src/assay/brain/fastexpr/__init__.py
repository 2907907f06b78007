"""FASTEXPR before any call: checks in the words of the platform, its operators, units."""
