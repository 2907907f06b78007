"""Named features in a graph, materialised as of a date."""
