"""The folder that accepting a campaign leaves: whole or not at all, and the same bytes each time."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from assay.base import new_folder
from assay.campaign._accept_types import Acceptance
from assay.campaign._hold_out import Material
from assay.errors import AssayError
from assay.ledger import Ledger

if TYPE_CHECKING:
    import polars

FORMAT: Final = "assay-campaign-acceptance"
VERSION: Final = 1


def export_acceptance(
    found: Acceptance,
    ledger: Ledger,
    material: Material,
    values: Mapping[str, npt.NDArray[np.float32]],
    folder: Path,
) -> None:
    """Write the folder; where it is there already, hold it to what would be written.

    ``acceptance.json`` is the whole, ``factors/NAME.json`` one factor, ``certificates/NAME.json`` its
    certificate, ``values.parquet`` the values of factors and portfolios by date and instrument, and
    ``formulas.fastexpr.txt`` and ``formulas.qlib.txt`` the formulas in these languages, with the
    differences named.

    Raises
    ------
    AssayError
        The folder exists and holds something else, or cannot be written.
    """
    contents = _contents(found, ledger, material, values)
    if folder.exists():
        _require_same(folder, contents)
        return
    with new_folder(folder) as staged:
        for name, content in contents.items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _contents(
    found: Acceptance,
    ledger: Ledger,
    material: Material,
    values: Mapping[str, npt.NDArray[np.float32]],
) -> dict[str, bytes]:
    from assay.library import find_certificate, read_document

    named = {item.name: item.certificate for item in found.factors}
    named |= {item.name: item.certificate for item in found.portfolios}
    contents = {
        f"certificates/{name}.json": _json(read_document(ledger, find_certificate(ledger, certificate)))
        for name, certificate in named.items()
    }
    whole = found.as_dict()
    for factor in whole["factors"]:
        contents[f"factors/{factor['name']}.json"] = _json(factor)
    contents["formulas.fastexpr.txt"] = _formulas(found, "fastexpr")
    contents["formulas.qlib.txt"] = _formulas(found, "qlib")
    contents["values.parquet"] = _parquet(material, values)
    contents["acceptance.json"] = _json(
        {"format": FORMAT, "version": VERSION, **whole, "files": sorted([*contents, "acceptance.json"])}
    )
    return contents


def _json(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def _formulas(found: Acceptance, language: Literal["fastexpr", "qlib"]) -> bytes:
    lines = []
    for factor in found.factors:
        written = getattr(factor, language)
        lines.append(f"# {factor.name}: {factor.expression}")
        lines += [f"# differs: {item}" for item in written.differences]
        lines.append(written.text if written.text is not None else f"# has no form here: {written.note}")
    return ("\n".join(lines) + "\n").encode()


def _parquet(material: Material, values: Mapping[str, npt.NDArray[np.float32]]) -> bytes:
    """A row for each member of each date for which any factor has a value, in order."""
    buffer = io.BytesIO()
    _frame(material, values).write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def _frame(material: Material, values: Mapping[str, npt.NDArray[np.float32]]) -> polars.DataFrame:
    import polars as pl

    known = np.any([np.isfinite(item) for item in values.values()], axis=0) & material.members
    rows, columns = np.nonzero(known)
    names = np.array(material.view.instruments)
    return pl.DataFrame(
        {
            "date": pl.Series(material.view.dates[rows].astype("datetime64[D]")),
            "instrument": pl.Series(names[columns].tolist(), dtype=pl.String),
            **{name: pl.Series(item[rows, columns]).fill_nan(None) for name, item in values.items()},
        }
    )


def _require_same(folder: Path, contents: Mapping[str, bytes]) -> None:
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    wrong = sorted(name for name in {*found, *contents} if found.get(name) != contents.get(name))
    if wrong:
        raise AssayError(
            f"the export is not what this version writes: {', '.join(wrong[:5])}",
            where=str(folder),
            fix="move the folder away and accept again: the same is written anew, and no look is charged",
        )
