"""The record of everything: append-only, hash-chained, fsynced before anything is acted on."""

__all__: list[str] = []
