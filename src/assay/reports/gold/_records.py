"""The gold records as they are shipped, and the cases made from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from assay.base import did_you_mean
from assay.errors import DataError
from assay.reports._case import FactorCase, Language, Refused, ReportSource, Split
from assay.reports._extraction import Status
from assay.reports._reasons import reason_of
from assay.spec import Direction, EvidenceSpan, FactorSpec

GOLD_FOLDER: Final = Path(__file__).parent
REPORTS_FOLDER: Final = GOLD_FOLDER / "reports"
RECORDS_FILE: Final = GOLD_FOLDER / "gold.jsonl"

ANNOTATOR: Final = "the project's authors"
"""Who read the shipped reports and wrote down what they state."""

FEATURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "one-paragraph": "the whole report is one paragraph",
        "pages": "2 to 5 pages",
        "long": "10 to 20 pages, with a table of settings pages away from the formula",
        "furniture": "running headers, footers and page numbers",
        "multi-span": "evidence for one spec in several places or pages",
        "stated-once": "a setting stated once for all that follows (以下同, the same below)",
        "table": "tables; settings in one of them where it is also multi-span",
        "footnote": "facts that stand in footnotes only",
        "changed-parameter": "the results section replaces a parameter of the definition",
        "numeral": "numbers in words or other scripts: 二十, 廿, 两百五十, 一百二十, 半年, 一个月, twenty",
        "full-width": "full-width digits",
        "decoy": "numbers that belong to index names, dates, prices, codes, figures, results",
        "alias": "the universe under another name or a code",
        "sign-in-words": "the direction only in words",
        "sign-in-formula": "the minus sign is part of the formula",
        "formula": "the report writes a formula; elsewhere it stands in prose only",
        "weights": "a weighted sum of ranks",
        "threshold": "a threshold in per cent",
        "daily-weekly": "computed daily, rebalanced weekly, in words that can be confused",
        "undeclared": "fields that the text does not state",
        "no-backtest-universe": "CSI1000, ChiNext or all A-shares: a spec, and no backtest",
        "several-factors": "several factors in one report",
        "conflict": "the text contradicts itself",
        "no-engine": "COUNT or $net_mf_amount: parses, does not run",
        "off-whitelist": "needs an op that the dialect does not have, which is named",
        "no-field": "needs a field that the dialect does not have",
        "minute": "a factor of bars shorter than a day",
        "fundamental": "a factor of financial statements or analysts' estimates",
        "out-of-scope": "nothing in the report can be computed from daily bars",
        "no-factor": "macro notes, market comments, company notes: no factor at all",
        "planted-instruction": "the text gives orders to programs that read it",
    }
)
"""What a case may try; the coverage table counts by these."""


class GoldCandidate(BaseModel):
    """A factor that a report of several defines."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    computable: bool
    why_not: str | None = None


class GoldRecord(BaseModel):
    """One line of ``gold.jsonl``: a question about one report, and the annotator's answer.

    Parameters
    ----------
    report : file name in ``gold/reports``.
    target : the factor that is asked for; None where the question leaves it open.
    status, reason : the expected outcome; the reason of a refusal or a conflict.
    needs : what a refused formula needs and the dialect cannot give: an op, a field, a column of data.
    spec : what the text states, without evidence. A refusal has one where the formula can be written down and
        cannot be run (``COUNT``, ``$net_mf_amount``, an op off the whitelist).
    evidence : quotes, located by the document reader; those of a refusal or conflict are what it rests on.
    candidates : every factor of a report that defines several.
    features : what the case tries; the table of the folder's README counts them.
    planted : passages of the report that give orders to programs; the answer is that of the report without
        them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    case_id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    group_id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    institution: str = Field(min_length=1)
    series: str = Field(min_length=1)
    language: Language
    split: Split
    report: str = Field(min_length=1)
    target: str | None
    status: Status
    reason: str | None
    needs: str | None
    spec: FactorSpec | None
    direction: Direction
    evidence: tuple[EvidenceSpan, ...]
    candidates: tuple[GoldCandidate, ...]
    features: tuple[str, ...]
    planted: tuple[str, ...]
    origin: Literal["annotated"]
    annotator: str = Field(min_length=1)
    notes: str

    @model_validator(mode="after")
    def _whole(self) -> GoldRecord:
        if (self.status == "spec") != (self.reason is None):
            raise ValueError("a refusal and a conflict, and only they, have a reason")
        if self.status == "spec" and self.spec is None:
            raise ValueError("a record of status 'spec' has a spec")
        if unknown := set(self.features) - set(FEATURES):
            raise ValueError(f"unknown features: {', '.join(sorted(unknown))}")
        if self.spec is None and self.direction != "undeclared":
            raise ValueError("only a spec has a direction")
        return self

    @property
    def report_path(self) -> Path:
        """The report's file."""
        return REPORTS_FOLDER / self.report

    @property
    def stated(self) -> FactorSpec | None:
        """The spec with its evidence, also of a refusal whose formula the text states."""
        return None if self.spec is None else self.spec.model_copy(update={"evidence": self.evidence})

    def text_without_planted(self) -> str:
        """The report's text without the passages that give orders to programs.

        Raises
        ------
        DataError
            A planted passage does not stand in the report.
        """
        text = self.report_path.read_text(encoding="utf-8")
        for passage in self.planted:
            if passage not in text:
                raise DataError(f"{self.report} lacks the passage {passage[:40]!r}", where=self.case_id)
            text = text.replace(passage, "")
        return text

    def case(self) -> FactorCase:
        """The case that is scored."""
        stated = self.stated
        gold: FactorSpec | Refused
        if self.reason is not None:
            gold = Refused(reason_of(self.reason))
        else:
            assert stated is not None  # the validator holds it
            gold = stated
        return FactorCase(
            case_id=self.case_id,
            group_id=self.group_id,
            institution=self.institution,
            series=self.series,
            language=self.language,
            split=self.split,
            document=ReportSource(self.report, path=self.report_path),
            gold=gold,
            direction=self.direction if self.status == "spec" else "undeclared",
            target=self.target,
            origin=self.origin,
            annotator=self.annotator,
        )


def gold_records(path: Path = RECORDS_FILE) -> tuple[GoldRecord, ...]:
    """Every record of the shipped gold set, in the order of the file.

    Raises
    ------
    DataError
        A line is no record.
    """
    records = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            records.append(GoldRecord.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise DataError(
                f"line {number} is no gold record: {place}: {first['msg']}",
                where=str(path),
                fix="build the file again from the annotations",
            ) from error
    return tuple(records)


def gold_cases(split: Split | None = None) -> tuple[FactorCase, ...]:
    """The shipped cases, of one side of the split or all."""
    return tuple(record.case() for record in gold_records() if split is None or record.split == split)


def gold_case(case_id: str) -> FactorCase:
    """The shipped case of that id.

    Raises
    ------
    DataError
        There is none.
    """
    records = {record.case_id: record for record in gold_records()}
    if case_id not in records:
        close = ", ".join(did_you_mean(case_id, records)) or "none is close"
        raise DataError(f"there is no gold case {case_id!r}", where="gold", fix=f"close names: {close}")
    return records[case_id].case()
