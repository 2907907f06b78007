"""What every prompt says of the task, made from config, market and vocabulary. It names no date."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from assay.campaign._settings import CampaignConfig, GateSettings, Language
from assay.campaign._types import Brief
from assay.campaign._vocabulary import Vocabulary
from assay.expr import FieldInfo

if TYPE_CHECKING:
    from assay.judge.training import AdmissionRule

Words: TypeAlias = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class MarketFacts:
    """What may be said of the data.

    Parameters
    ----------
    market : as the data set's manifest names it.
    universe : name of the universe that figures are taken over.
    simulated : whether the data is invented.
    lag : bars between the last one that a signal may use and its day.
    fill : price of a day at which books are traded.
    """

    market: Literal["CN", "US"] | None
    universe: str
    simulated: bool = False
    lag: int = 1
    fill: str = "close"

    def span_bars(self, horizon: int) -> int:
        """Bars from the last one that a signal uses to the end of its label."""
        return self.lag + 1 + horizon


def make_brief(config: CampaignConfig, facts: MarketFacts, vocabulary: Vocabulary) -> Brief:
    """The brief of a campaign, in the language of its prompts."""
    words = brief_words(config.language)
    return Brief(
        market=_market(words, facts),
        label=_label(words, facts, config.horizon),
        scoring=_scoring(words, config.admission),
        fields=MappingProxyType({name: _field(info) for name, info in vocabulary.fields.items()}),
        ops=vocabulary.op_lines(),
        mechanisms=config.mechanisms,
        language=config.language,
        limits=_limits(words, config.gate),
    )


def brief_words(language: Language) -> Words:
    """The sentences of a language, by table and key."""
    text = (files("assay.campaign.prompts") / language / "words.toml").read_text("utf-8")
    words: dict[str, Any] = tomllib.loads(text)
    return words


def _market(words: Words, facts: MarketFacts) -> str:
    said = words["market"][facts.market or "other"].format(universe=facts.universe)
    return _joined(words, [said, words["market"]["simulated"]] if facts.simulated else [said])


def _label(words: Words, facts: MarketFacts, horizon: int) -> str:
    first = words["label"]["lagged" if facts.lag else "same_day"].format(lag=facts.lag)
    label = words["label"]["label"].format(
        fill=facts.fill, horizon=horizon, end=horizon + 1, span=facts.span_bars(horizon)
    )
    return _joined(words, [first, label])


def _scoring(words: Words, rule: AdmissionRule) -> str:
    marks, given = words["marks"], asdict(rule)
    checks = [
        text.format(value=given[name]) for name, text in words["rules"].items() if given[name] is not None
    ]
    admitted = _joined(words, [words["scoring"]["admitted"], marks["list"].join(checks) + marks["end"]])
    return _joined(words, [words["scoring"]["figures"], admitted])


def _limits(words: Words, gate: GateSettings) -> str:
    return _joined(words, [words["limits"]["size"].format(**asdict(gate)), words["limits"]["rules"]])


def _joined(words: Words, sentences: Sequence[str]) -> str:
    return words["marks"]["space"].join(sentences)


def _field(info: FieldInfo) -> str:
    kind = "" if info.kind == "number" else f"[{info.kind}]"
    unit = f"({info.unit})" if info.unit and info.unit != "1" else ""
    return " ".join(part for part in (info.description, unit, kind) if part)
