"""The options of ``assay data`` as what the market package understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from assay.cli._choice import one_of
from assay.errors import AssayError
from assay.market import (
    OVERLAP_RULES,
    UNKNOWN_START_RULES,
    GroupSource,
    MembershipSource,
    Sides,
    TableOptions,
)

MAX_SYMBOLS = 20_000


def pairs(values: Sequence[str] | None, option: str) -> dict[str, str]:
    """``NAME=VALUE`` options as a mapping.

    Raises
    ------
    AssayError
        One has no ``=``, an empty side, or a name that came before.
    """
    out: dict[str, str] = {}
    for value in values or ():
        name, sign, rest = value.partition("=")
        name, rest = name.strip(), rest.strip()
        if not sign or not name or not rest:
            raise AssayError(f"{value!r} is not NAME=VALUE", where=option, fix=f"write {option} NAME=VALUE")
        if name in out:
            raise AssayError(f"{name!r} is given twice", where=option, fix="give it once")
        out[name] = rest
    return out


def parse_market(value: str | None) -> Any:
    """``CN``, ``US`` or None."""
    return None if value is None else one_of(value.upper(), ("CN", "US"), "--market")


def parse_date(value: str | None, option: str) -> date | None:
    """An ISO date.

    Raises
    ------
    AssayError
        The text is not one.
    """
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise AssayError(f"{value!r} is not a date", where=option, fix="write YYYY-MM-DD") from error


def _known_dates(values: Sequence[str] | None) -> dict[str, str]:
    """``NAME=DATE`` by name; a date alone stands under the empty name, for all."""
    out: dict[str, str] = {}
    for value in values or ():
        name, text = ("", value) if "=" not in value else value.split("=", 1)
        parsed = parse_date(text.strip(), "--known-until")
        out[name.strip()] = str(parsed)
    return out


def make_sides(
    membership: Sequence[str] | None,
    groups: Sequence[str] | None,
    events: Sequence[str] | None,
    known_until: Sequence[str] | None,
    *,
    end_inclusive: bool,
    unknown_start: str,
    overlaps: str,
    encoding: str,
) -> Sides:
    """The side tables that the options name."""
    known = _known_dates(known_until)
    start_rule = one_of(unknown_start, UNKNOWN_START_RULES, "--unknown-start")
    overlap_rule = one_of(overlaps, OVERLAP_RULES, "--overlaps")
    members = {
        _identifier(name, "--membership"): MembershipSource(
            Path(path),
            known_until=known.get(name, known.get("")),
            end_inclusive=end_inclusive,
            unknown_start=start_rule,
            overlaps=overlap_rule,
        )
        for name, path in pairs(membership, "--membership").items()
    }
    stray = [name for name in known if name and name not in members]
    if stray:
        raise AssayError(
            f"no membership is called {stray[0]!r}",
            where="--known-until",
            fix="give --membership NAME=FILE as well",
        )
    return Sides(
        membership=members,
        groups={
            _identifier(name, "--groups"): _group(path) for name, path in pairs(groups, "--groups").items()
        },
        events={
            _identifier(name, "--events"): Path(path) for name, path in pairs(events, "--events").items()
        },
        encoding=encoding,
    )


def _identifier(name: str, option: str) -> str:
    # a name that a formula can write, and that can name a file
    if name.isascii() and name.isidentifier() and name == name.lower() and len(name) <= 64:
        return name
    raise AssayError(
        f"{name!r} cannot be a name", where=option, fix="use a-z, 0-9 and '_', beginning with a letter"
    )


def _group(text: str) -> GroupSource:
    if Path(text).exists() or ":" not in text:
        return GroupSource(Path(text))
    path, column = text.rsplit(":", 1)
    return GroupSource(Path(path), column)


def table_options(
    *,
    columns: Mapping[str, str],
    skip: Sequence[str],
    exponents: Mapping[str, str],
    market: Any,
    sides: Sides,
    calendar: Path | None,
    date_format: str | None,
    encoding: str,
    bounds: tuple[date | None, date | None],
    quarantine: bool,
) -> TableOptions:
    """How a long table is to be read."""
    return TableOptions(
        columns=columns,
        skip=tuple(skip),
        exponents={name: _exponent(name, value) for name, value in exponents.items()},
        market=market,
        sides=sides,
        calendar=calendar,
        date_format=date_format,
        encoding=encoding,
        start=None if bounds[0] is None else str(bounds[0]),
        end=None if bounds[1] is None else str(bounds[1]),
        quarantine=quarantine,
    )


def _exponent(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not -10 <= number <= 10:
        raise AssayError(
            f"the exponent of {name} is {value!r}",
            where="--exponent",
            fix="1 for a price, -1 for shares, 0 for others",
        )
    return number


def read_symbols(text: str | None) -> tuple[str, ...]:
    """Symbols with commas between, or a file with one a line.

    Raises
    ------
    AssayError
        There is none, one is given twice, or the file cannot be read.
    """
    if text is None:
        raise AssayError(
            "a download needs symbols", where="--symbols", fix="give them with commas, or a file"
        )
    path = Path(text)
    if "," not in text and path.is_file():
        from assay.cli._files import read_text

        text = read_text(path, "--symbols").replace("\n", ",")
    names = [word.strip() for word in text.split(",") if word.strip()]
    if not names or len(names) > MAX_SYMBOLS:
        raise AssayError(
            f"{len(names)} symbols are given", where="--symbols", fix=f"give 1 to {MAX_SYMBOLS:,}"
        )
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise AssayError(f"{twice[0]!r} is given twice", where="--symbols", fix="give each symbol once")
    return tuple(names)
