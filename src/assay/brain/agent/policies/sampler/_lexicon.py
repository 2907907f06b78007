"""From the words of an idea, or of a critique, to what the sampler knows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from assay.brain.agent.policies._language import language_of
from assay.brain.agent.policies.sampler._families import FAMILIES, Family
from assay.brain.search import Finding, FindingName

_LONGEST: Final = 4000
_BETWEEN: Final = re.compile(r"[\s_\-\u2010-\u2015/]+")
_CRITIQUE: Final[Mapping[FindingName, str]] = {
    "high_turnover": r"high turnover|turnover.{0,12}high|longer|smooth|slow|换手.{0,4}高|高换手|更长|平滑",
    "low_turnover": r"low turnover|turnover.{0,12}low|shorter|faster|换手.{0,4}低|低换手|更短",
    "concentrated": r"concentrat|weight|集中|权重",
    "sub_universe": r"sub universe|small (?:names|stocks|caps)|子股票池|子域|小盘",
    "self_correlated": r"correlat|too similar|相关|雷同",
    "unstable": r"unstable|every year|robust|不稳定|稳健",
    "wrong_sign": r"wrong sign|flip|opposite|negat|反向|取反|符号",
    "low_fitness": r"fitness|适应度",
    "low_sharpe": r"sharpe|weak|夏普|弱",
}


def families_in(text: str) -> tuple[Family, ...]:
    """The families that a text names, in the order in which it does; empty where it names none.

    Of words that overlap the longest counts: "price-volume" is not a word on volume.
    """
    plain = _plain(text)
    found: dict[str, int] = {}
    words = [(word, family) for family in FAMILIES for word in _words(family)]
    for word, family in sorted(words, key=lambda item: -len(item[0])):
        edge = "" if language_of(word) == "zh" else r"\b"
        pattern = re.compile(edge + re.escape(word))
        for hit in pattern.finditer(plain):
            found[family.id] = min(hit.start(), found.get(family.id, hit.start()))
        plain = pattern.sub(lambda hit: "\0" * len(hit[0]), plain)
    named = {family.id: family for family in FAMILIES}
    return tuple(named[name] for name in sorted(found, key=lambda name: found[name]))


def names_in(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names, such as those of fields, that a text has as words."""
    words = set(re.findall(r"[a-z0-9_]+", unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()))
    return tuple(name for name in known if name.lower() in words)


def findings_in(text: str) -> tuple[Finding, ...]:
    """What a critique complains of, as findings that mutations answer."""
    plain = _plain(text)
    return tuple(
        Finding(name, "fail", f"the critique says {hit[0]!r}")
        for name, pattern in _CRITIQUE.items()
        if (hit := re.search(pattern, plain)) is not None
    )


def _plain(text: str) -> str:
    return _BETWEEN.sub(" ", unicodedata.normalize("NFKC", text[:_LONGEST]).casefold())


def _words(family: Family) -> tuple[str, ...]:
    return tuple(_plain(word) for words in family.words.values() for word in words)
