"""A factor as one sentence defines it, and the words by which a definition is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from assay.reports._sections import HOLDS
from assay.reports.rules._cues import Region, Strength
from assay.reports.rules._names import FACTORISH
from assay.reports.rules._scope import Obstacle
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import Tree

QUANTITY: Final = re.compile(
    r"[收价量额幅益涨跌均]|波动|动量|流动性|gain|move|chang|illiquid|gap|return|volume|clos|price|volatil|turnover"
    r"|amount|value|high"
    r"|low|open|momentum"
    r"|[A-Za-z_]{2,}\(|range|deviation|stdev|average|mean", re.IGNORECASE
)  # fmt: skip
"""What a factor may be made of."""

RESULT: Final = re.compile(
    r"\d\s*(?:%|per ?cent|bps|basis points|万|亿|元|m\b|bn\b)|昨日|本周(?!思路|介绍|跟踪)|今日(?!的)|(?:上涨"
    r"|下跌|放大|萎缩)(?=\s*[\d了约超近至])"
    r"|\b(?:was|were|rose|fell|gained|lost|led|lagged|yesterday|this week(?! we)|last week(?!['’]s)"
    r"|earned|returned)\b",
    re.IGNORECASE,
)  # fmt: skip
"""Words of what happened, not of what is computed."""

AHEAD: Final = re.compile(
    r"随后|此后|之后|后续|未来|下一?[个周月期]|\bnext\b|subsequent|following|future", re.IGNORECASE
)
"""Words before a window that lies ahead."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A factor as one sentence defines it.

    Parameters
    ----------
    name, name_start : as the text calls it, '' where it does not; its place in the document.
    tree : its formula, None where an obstacle stands in the way or it is not read.
    obstacle : what stands in the way.
    start, end : the words of the formula, or of the sentence where there is none.
    sentence : where it stands.
    final : whether the text says that this one holds.
    steps : places of what is done next with the formula, which is then the whole.
    taken : where the sentences of those steps begin.
    core : what was read of a formula with ops that the report dialect lacks or cannot evaluate.
    of_parts : whether it puts together what other sentences define.
    """

    name: str
    name_start: int
    tree: Tree | None
    obstacle: Obstacle | None
    start: int
    end: int
    sentence: Sentence
    final: bool
    strength: Strength
    core: Tree | None = None
    steps: tuple[tuple[int, int], ...] = ()
    taken: tuple[int, ...] = ()
    of_parts: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """What stands near a sentence: the heading right above it, the one of its section, what follows.

    ``following`` are the next sentences of the paragraph, ``later`` those of the document; ``scoped`` says
    whether the document states settings or a direction.
    """

    heading: Sentence | None
    section: Sentence | None
    following: tuple[Sentence, ...]
    later: tuple[Sentence, ...]
    scoped: bool


def blank_of(sentence: Sentence, region: Region) -> Definition:
    """A definition with the name of the region, in all of the sentence, without a formula."""
    final = HOLDS.search(sentence.text) is not None
    return Definition(
        region.name.text, region.name.start, None, None, sentence.start, sentence.end, sentence, final,
        region.strength,
    )  # fmt: skip


def quantified(sentence: Sentence) -> bool:
    """Whether it speaks of a factor or of anything that one may be made of."""
    return QUANTITY.search(sentence.text) is not None or FACTORISH.search(sentence.text) is not None


def formula_part(region: str) -> str:
    """The region without clauses that speak of settings."""
    return re.split(
        r"[,，;；](?=[^,，;；]*(?:股票池|调仓|中性|universe|rebalanc|neutral|benchmark|基准))", region
    )[0]
