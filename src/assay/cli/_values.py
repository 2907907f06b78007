from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import DataError

if TYPE_CHECKING:
    import polars

_SUFFIXES = (".parquet", ".csv")


def read_values_file(path: Path) -> polars.DataFrame:
    """A table of factor values, long or wide, from Parquet or CSV.

    Raises
    ------
    DataError
        The file is missing, of another kind, empty, damaged, or not UTF-8.
    """
    import polars as pl

    where = "--values"
    if path.suffix.lower() not in _SUFFIXES:
        raise DataError(
            f"{path} is neither .parquet nor .csv", where=where, fix="convert it to one of the two"
        )
    if not path.is_file():
        raise DataError(f"{path} is not a file", where=where, fix="check the path")
    try:
        if path.suffix.lower() == ".csv":
            frame = pl.read_csv(path, try_parse_dates=True, infer_schema_length=None)
        else:
            frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        what = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise DataError(
            f"cannot read {path}: {what}", where=where, fix="check that the file is whole"
        ) from error
    if frame.is_empty():
        raise DataError(
            f"{path} holds no rows", where=where, fix="give a table with dates, instruments and values"
        )
    return frame
