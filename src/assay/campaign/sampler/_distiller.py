from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.campaign._types import MemoryContext, TrialRecord
from assay.campaign.sampler._words import Language, say

_COUNTS = re.compile(r"^<!-- (?P<name>\S+) (?P<scored>\d+) (?P<admitted>\d+) -->$", re.MULTILINE)
_REASONS = 2


@dataclass(frozen=True)
class SamplerDistiller:
    """Counts trials by mechanism type, with the best of the latest ones.

    Totals of earlier trials are read back from the memory, where a comment for each type holds them.
    """

    def distill(self, context: MemoryContext) -> str | None:
        """The new memory; None where no trial came since."""
        if not context.trials:
            return None
        before = {
            found["name"]: (int(found["scored"]), int(found["admitted"]))
            for found in _COUNTS.finditer(context.memory)
        }
        names = dict.fromkeys([*before, *(trial.mechanism for trial in context.trials)])
        lines = [say(context.brief.language, "memory")]
        for name in names:
            trials = [trial for trial in context.trials if trial.mechanism == name]
            lines += _lines(context.brief.language, name, trials, *before.get(name, (0, 0)))
        return "\n".join(lines)


def _lines(
    language: Language, name: str, trials: Sequence[TrialRecord], scored: int, admitted: int
) -> list[str]:
    evaluated = [trial for trial in trials if trial.evaluated]
    scored += len(evaluated)
    admitted += sum(trial.admitted for trial in trials)
    counted = Counter(trial.reason for trial in trials if trial.reason)
    reasons = ", ".join(f"{reason} ({n})" for reason, n in counted.most_common(_REASONS)) or "-"
    lines = [
        f"<!-- {name} {scored} {admitted} -->",
        say(language, "type", name=name, scored=scored, admitted=admitted, reasons=reasons),
    ]
    best = max(evaluated, key=lambda trial: abs(trial.figures.get("t") or 0.0), default=None)
    if best is not None and best.candidate is not None:
        t = best.figures.get("t")
        shown = "-" if t is None else f"{t:.1f}"
        lines.append(say(language, "best", name=name, formula=best.candidate.expression, t=shown))
    return lines
