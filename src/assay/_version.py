"""The version, apart from the root package so that every layer may read it."""

__version__ = "0.1.0"
