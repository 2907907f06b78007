"""Options that commands of ``assay data`` share: how a table of bars, and those beside it, are to be read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help="Which column is what, where its name does not tell.", metavar="FIELD=COLUMN"
    ),
]
Skip = Annotated[list[str] | None, typer.Option("--skip", help="Leave a column out.", metavar="COLUMN")]
Exponent = Annotated[
    list[str] | None,
    typer.Option(
        "--exponent",
        help="Adjustment exponent of a field: 1 price, -1 shares, 0 others.",
        metavar="FIELD=NUMBER",
    ),
]
MarketName = Annotated[
    str | None, typer.Option("--market", help="CN or US: price limits and default costs.", metavar="MARKET")
]
Calendar = Annotated[
    Path | None, typer.Option("--calendar", help="Trading days, one date a line.", metavar="FILE")
]
DateFormat = Annotated[str | None, typer.Option("--date-format", help="Such as %d/%m/%Y.", metavar="FORMAT")]
Start = Annotated[str | None, typer.Option("--start", help="Keep dates from here on.", metavar="DATE")]
End = Annotated[str | None, typer.Option("--end", help="Keep dates up to here.", metavar="DATE")]
Membership = Annotated[
    list[str] | None,
    typer.Option("--membership", help="Spans (symbol, in, out) of a universe.", metavar="NAME=FILE"),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--groups",
        help="Labels (symbol, label) of a classification; with a date, or in and out, where they change. "
        "The table of bars may be the file.",
        metavar="NAME=FILE[:COLUMN]",
    ),
]
Events = Annotated[
    list[str] | None,
    typer.Option("--events", help="Events (symbol, event time, known time, score).", metavar="NAME=FILE"),
]
KnownUntil = Annotated[
    list[str] | None,
    typer.Option(
        "--known-until",
        help="Last date for which a universe is known; default: the latest date in its file.",
        metavar="[NAME=]DATE",
    ),
]
EndInclusive = Annotated[
    bool,
    typer.Option("--end-inclusive", help="The out date is the last day as a member, not the first as none."),
]
UnknownStart = Annotated[
    str,
    typer.Option(
        "--unknown-start",
        help="Spans without an in date: refuse, leave_out or from_first_date.",
        metavar="RULE",
    ),
]
Overlaps = Annotated[
    str, typer.Option("--overlaps", help="Overlapping spans of a symbol: refuse or merge.", metavar="RULE")
]
Encoding = Annotated[str, typer.Option("--encoding", help="Of text files, e.g. gbk.")]
KeepAll = Annotated[
    bool,
    typer.Option("--quarantine/--keep-all", help="Set bars missing that cannot be true, and list them."),
]
DEFAULT_RATE = 5.0
Rate = Annotated[
    float, typer.Option("--rate", help="Of a download: requests a second at most.", metavar="NUMBER")
]
AllowMissing = Annotated[
    bool,
    typer.Option(
        "--allow-missing",
        help="Of a download: go without the symbols that failed; the manifest names them and why.",
    ),
]
Restart = Annotated[
    bool, typer.Option("--restart", help="Of a download: drop what had arrived before it was interrupted.")
]
ServerName = Annotated[
    str | None,
    typer.Option(
        "--server",
        help="Of a download: another host of the source, or a stand-in on this machine.",
        metavar="HOST:PORT",
    ),
]
