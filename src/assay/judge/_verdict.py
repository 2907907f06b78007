from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from assay.errors import AssayError
from assay.judge._repr import html_table, one_line
from assay.judge._results import (
    SUMMARY,
    BookCurve,
    CoverageRow,
    DataUsed,
    DateArray,
    DecayRow,
    Decision,
    FloatArray,
    Identity,
    LeakCheck,
    MonthlyTable,
    Quantiles,
    Robustness,
    Significance,
    to_plain,
)
from assay.judge._settings import COSTS, Costs, JudgeSettings

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """One judged factor: everything that a tear sheet shows.

    Parameters
    ----------
    summary : the keys of :data:`SUMMARY`, in that order; NaN where undefined.
    dates : the judged dates ``(D,)``.
    series : arrays ``(D,)`` by name: ``ic``, ``rank_ic``, ``neutral_rank_ic`` (when computed), ``names``,
        ``coverage``, ``turnover`` (one-way, of the quantile's top group), ``rank_autocorrelation``.
    decay : one row a horizon, ascending.
    quantiles, book : ``None`` when the factor has too few values to form any.
    coverage : where values are lost, node by node; empty for a factor given as values.
    leaks : always the four checks; those not run say so.
    certificate : JSON-ready; see the reference of certificates.
    """

    identity: Identity
    settings: JudgeSettings
    data: DataUsed
    summary: Mapping[str, float | int]
    dates: DateArray
    series: Mapping[str, FloatArray]
    decay: tuple[DecayRow, ...]
    monthly: MonthlyTable
    quantiles: Quantiles | None
    book: BookCurve | None
    coverage: tuple[CoverageRow, ...]
    robustness: Robustness
    significance: Significance
    leaks: tuple[LeakCheck, ...]
    warnings: tuple[str, ...]
    decision: Decision
    certificate: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The factor's name; the text of the formula when none was given."""
        return self.identity.name

    @property
    def recorded(self) -> bool:
        """Whether the judgement is in a workspace's ledger."""
        return not self.data.record.startswith("unrecorded")

    @property
    def status(self) -> str:
        """``passed``, ``rejected`` or ``undefined``."""
        return self.decision.status

    @property
    def costs(self) -> Costs | None:
        """The costs that were applied: those of the settings, else the market's own."""
        return self.settings.costs or COSTS.get(self.data.market)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        """A small table for a notebook."""
        return html_table([self])

    def row(self) -> dict[str, Any]:
        """The summary as one flat row, with name and status first."""
        return {"name": self.name, "status": self.status, **self.summary}

    def to_dict(self) -> dict[str, Any]:
        """Everything, JSON-ready: missing numbers are ``None``, dates ISO text."""
        return {
            "identity": to_plain(self.identity),
            "settings": self.settings.to_dict(),
            "data": to_plain(self.data),
            "summary": to_plain(self.summary),
            "dates": to_plain(self.dates),
            "series": to_plain(self.series),
            "decay": to_plain(self.decay),
            "monthly": to_plain(self.monthly),
            "quantiles": to_plain(self.quantiles),
            "book": to_plain(self.book),
            "coverage": to_plain(self.coverage),
            "robustness": to_plain(self.robustness),
            "significance": to_plain(self.significance),
            "leaks": to_plain(self.leaks),
            "warnings": list(self.warnings),
            "decision": to_plain(self.decision),
            "certificate": dict(self.certificate),
        }


@dataclass(frozen=True, slots=True)
class Refused:
    """An item of a batch that could not be judged, and why."""

    name: str
    text: str
    error: AssayError


@dataclass(frozen=True, slots=True)
class BatchStatistics:
    """What judging many factors at once does to significance.

    ``q_bh`` and ``q_by`` are Benjamini-Hochberg and -Yekutieli adjusted p-values of the mean RankIC, in the
    order of the verdicts (NaN where there is no p-value). ``pbo`` is the probability of backtest overfitting
    over ``pbo_splits`` combinatorial splits of the net excess returns; NaN with a ``note`` when it cannot be
    computed.
    ``judged`` is the number of factors in this batch: trials made elsewhere are not in it.
    """

    judged: int
    q_bh: tuple[float, ...]
    q_by: tuple[float, ...]
    pbo: float
    pbo_splits: int
    note: str


class Verdicts(Sequence[Verdict]):
    """Judged factors in the order in which they were given."""

    def __init__(
        self,
        verdicts: Sequence[Verdict],
        *,
        batch: BatchStatistics,
        refused: Sequence[Refused] = (),
    ) -> None:
        self._verdicts = tuple(verdicts)
        self.batch = batch
        self.refused = tuple(refused)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Verdict]: ...
    def __getitem__(self, index: int | slice) -> Verdict | Sequence[Verdict]:
        return self._verdicts[index]

    def __len__(self) -> int:
        return len(self._verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self._verdicts)

    def __repr__(self) -> str:
        return f"Verdicts({len(self)} judged, {len(self.refused)} refused)"

    def _repr_html_(self) -> str:
        """A small ranked table for a notebook."""
        return html_table([self.named(row["name"]) for row in self.rows()], refused=len(self.refused))

    def named(self, name: str) -> Verdict:
        """The verdict of that name.

        Raises
        ------
        KeyError
            None has it.
        """
        for verdict in self._verdicts:
            if verdict.name == name:
                return verdict
        raise KeyError(name)

    def rows(self, by: str = "t", *, absolute: bool = True) -> list[dict[str, Any]]:
        """Summary rows with ``dsr``, ``q_bh`` and ``q_by``, best first by a summary key; undefined ones last.

        Raises
        ------
        AssayError
            ``by`` is not a key of the summary.
        """
        keys = [column.key for column in SUMMARY]
        if by not in keys:
            raise AssayError(f"cannot sort by {by!r}", where="by", fix=f"use one of {', '.join(keys)}")
        numbered = list(enumerate(self._verdicts))

        def place(item: tuple[int, Verdict]) -> tuple[bool, float, int]:
            value = float(item[1].summary[by])
            missing = value != value
            return missing, 0.0 if missing else -(abs(value) if absolute else value), item[0]

        return [
            {
                **verdict.row(),
                "dsr": verdict.significance.dsr,
                "q_bh": self.batch.q_bh[index],
                "q_by": self.batch.q_by[index],
            }
            for index, verdict in sorted(numbered, key=place)
        ]

    def certificates(self) -> list[Mapping[str, Any]]:
        """The certificates, in the order of the verdicts."""
        return [verdict.certificate for verdict in self._verdicts]

    def to_dict(self) -> dict[str, Any]:
        """The whole batch, JSON-ready."""
        return {
            "verdicts": [verdict.to_dict() for verdict in self._verdicts],
            "batch": to_plain(self.batch),
            "refused": [{"name": r.name, "text": r.text, **r.error.as_dict()} for r in self.refused],
        }

    def to_pandas(self) -> pandas.DataFrame:
        """The summary rows, best first, as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_polars(self) -> polars.DataFrame:
        """The summary rows, best first, as a polars frame; undefined numbers are null."""
        import polars as pl

        return pl.DataFrame(to_plain(self.rows()))
