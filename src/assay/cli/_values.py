from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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
    return _read_table(path, "--values", "give a table with dates, instruments and values")


def read_benchmark_file(path: Path, dates: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """Benchmark returns on ``dates``, NaN where the file has none; a date column and one column of numbers.

    Raises
    ------
    DataError
        The file cannot be read, or holds no such columns, or no date of the panel, or a date twice.
    """
    import polars as pl

    option, fix = "--benchmark", "give a table with a date column and one column of returns"
    table = _read_table(path, option, fix)
    days = [name for name, kind in table.schema.items() if kind in (pl.Date, pl.Datetime)]
    numbers = [name for name, kind in table.schema.items() if kind.is_numeric()]
    if len(days) != 1 or len(numbers) != 1:
        raise DataError(
            f"{path} has {len(days)} date columns and {len(numbers)} numeric ones", where=option, fix=fix
        )
    found = table[days[0]].cast(pl.Date).to_numpy().astype("datetime64[D]")
    if len(np.unique(found)) != len(found):
        raise DataError(f"{path} holds a date twice", where=option, fix="give one return a date")
    kept = np.isin(found, dates)
    if not kept.any():
        raise DataError(
            f"no date of {path} is one of the data set", where=option, fix=f"cover {dates[0]} to {dates[-1]}"
        )
    series = np.full(len(dates), np.nan)
    series[np.searchsorted(dates, found[kept])] = table[numbers[0]].cast(pl.Float64).to_numpy()[kept]
    return series


def _read_table(path: Path, option: str, wanted: str) -> polars.DataFrame:
    import polars as pl

    if path.suffix.lower() not in _SUFFIXES:
        raise DataError(
            f"{path} is neither .parquet nor .csv", where=option, fix="convert it to one of the two"
        )
    if not path.is_file():
        raise DataError(f"{path} is not a file", where=option, fix="check the path")
    try:
        if path.suffix.lower() == ".csv":
            frame = pl.read_csv(path, try_parse_dates=True, infer_schema_length=None, glob=False)
        else:
            frame = pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        what = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise DataError(
            f"cannot read {path}: {what}", where=option, fix="check that the file is whole"
        ) from error
    if frame.is_empty():
        raise DataError(f"{path} holds no rows", where=option, fix=wanted)
    return frame
