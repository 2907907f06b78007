"""Evolution of an admitted factor: its formula may change, what the report fixed may not."""

__all__: list[str] = []
