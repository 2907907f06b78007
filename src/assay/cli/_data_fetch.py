"""``assay data fetch``, and the download of ``assay data update``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._data_options import (
    DEFAULT_RATE,
    AllowMissing,
    Encoding,
    EndInclusive,
    Events,
    Groups,
    KeepAll,
    KnownUntil,
    Membership,
    Overlaps,
    Rate,
    Restart,
    ServerName,
    UnknownStart,
)
from assay.cli._data_output import tell_fetched
from assay.cli._data_places import Dir, new_folder_of
from assay.cli._data_plan import suggest_plan
from assay.cli._output import Json
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.cli._progress import Steps
    from assay.market import BarClient, FetchPlan, Outcome, Panel, Sides


@dataclass(frozen=True, slots=True)
class Download:
    """How a source is asked, whatever is asked for."""

    server: str | None
    rate: float
    allow_missing: bool
    restart: bool
    quiet: bool

    def client(self, source: str) -> BarClient:
        """A client of the source; it connects when it is first asked."""
        from assay.market import BaoStockClient, Pace, YahooClient

        pace = Pace(per_second=self.rate)
        if source == "baostock":
            return BaoStockClient(self.server, pace=pace)
        return YahooClient(self.server, pace=pace)

    def update(self, folder: Path, source: str, until: str | None, sides: Sides) -> Panel:
        """Append what the data set's own source has had since, up to ``until`` or today."""
        from assay.cli._data_request import parse_date
        from assay.market import update

        client = self.client(source)
        try:
            with _Shown(quiet=self.quiet) as shown:
                return update(
                    folder,
                    client,
                    parse_date(until, "--until") or date.today(),
                    sides,
                    allow_missing=self.allow_missing,
                    restart=self.restart,
                    progress=shown.tell,
                )
        finally:
            client.close()


def fetch(
    source: Annotated[str, typer.Argument(help="baostock (mainland shares) or yahoo.")],
    name: Annotated[str, typer.Option(help="Name of the new data set.")],
    start: Annotated[str, typer.Option("--start", help="First date.", metavar="DATE")],
    end: Annotated[
        str | None, typer.Option("--end", help="Last date; default: today.", metavar="DATE")
    ] = None,
    symbols: Annotated[
        str | None, typer.Option(help="Symbols with commas, or a file with one a line.")
    ] = None,
    universe: Annotated[
        list[str] | None,
        typer.Option(
            "--universe",
            help="An index: its members by date, and the bars of all that were ever one. baostock has "
            "csi300, csi500, sse50.",
            metavar="INDEX",
        ),
    ] = None,
    industry: Annotated[
        bool, typer.Option("--industry", help="Industries by date too, as group industry (baostock).")
    ] = False,
    membership: Membership = None,
    known_until: KnownUntil = None,
    end_inclusive: EndInclusive = False,
    unknown_start: UnknownStart = "refuse",
    overlaps: Overlaps = "refuse",
    groups: Groups = None,
    events: Events = None,
    encoding: Encoding = "utf-8",
    quarantine: KeepAll = True,
    rate: Rate = DEFAULT_RATE,
    allow_missing: AllowMissing = False,
    restart: Restart = False,
    server: ServerName = None,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Download daily bars into a new data set; an interrupted download goes on where it stopped.

    Run the same command again to go on. The data set appears when every symbol has arrived or the source
    explains why it has no bars.
    """
    from assay.cli._choice import one_of
    from assay.cli._data_request import make_sides
    from assay.market import SOURCES
    from assay.market import fetch as download

    source = one_of(source, SOURCES, "SOURCE")
    folder = new_folder_of(directory, name)
    sides = make_sides(
        membership,
        groups,
        events,
        known_until,
        end_inclusive=end_inclusive,
        unknown_start=unknown_start,
        overlaps=overlaps,
        encoding=encoding,
    )
    how = Download(server, rate, allow_missing=allow_missing, restart=restart, quiet=as_json)
    client = how.client(source)
    try:
        plan = _plan(client, folder, symbols, universe or (), industry, start, end, restart=restart)
        with _Shown(quiet=as_json) as shown:
            done = download(
                client,
                plan,
                folder,
                sides=sides,
                allow_missing=allow_missing,
                restart=restart,
                quarantine_bars=quarantine,
                progress=shown.tell,
            )
    finally:
        client.close()
    tell_fetched(done, folder, as_json=as_json)
    suggest_plan(done.panel, folder)


def _plan(
    client: BarClient,
    folder: Path,
    symbols: str | None,
    universes: list[str] | tuple[str, ...],
    industry: bool,
    start: str,
    end: str | None,
    *,
    restart: bool,
) -> FetchPlan:
    from assay.cli._data_request import parse_date, read_symbols
    from assay.market import FetchPlan

    first = parse_date(start, "--start")
    assert first is not None
    given = () if symbols is None and universes else read_symbols(symbols)
    own = tuple(client.symbol(text) for text in given)
    twice = [text for text, symbol in zip(given, own, strict=True) if own.count(symbol) > 1]
    if twice:
        raise AssayError(
            f"{' and '.join(twice[:2])} are one symbol", where="--symbols", fix="give each symbol once"
        )
    last = parse_date(end, "--end") or (None if restart else _begun_end(folder)) or date.today()
    return FetchPlan(client.name, first, last, own, tuple(dict.fromkeys(universes)), industry)


def _begun_end(folder: Path) -> date | None:
    """The last date of a download that was interrupted, so that it can go on on another day."""
    from assay.market import begun_plan, partial_folder

    begun = begun_plan(partial_folder(folder))
    try:
        return None if begun is None else date.fromisoformat(str(begun["end"]))
    except (KeyError, ValueError):
        return None


class _Shown:
    """A line of progress on standard error, unless all is to be quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._steps: Steps | None = None

    def __enter__(self) -> _Shown:
        from assay.cli._progress import Steps

        if not self._quiet:
            self._steps = Steps()
            self._steps.__enter__()
        return self

    def __exit__(self, *what: object) -> None:
        if self._steps is not None:
            self._steps.__exit__(*what)

    def tell(self, done: int, total: int, outcome: Outcome) -> None:
        """One item is done."""
        if self._steps is None:
            return
        if done == 1:
            self._steps.begin("download")
        self._steps.advance(outcome.item.split("/")[0], done, total)
        if outcome.status == "failed":
            from assay.cli._progress import note

            note(f"failed: {outcome.item.split('/')[-1]}: {outcome.reason}")
