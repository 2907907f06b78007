from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from assay.campaign._types import Candidate, Review, ReviewContext, Reviews
from assay.campaign._vocabulary import used_ops
from assay.campaign.sampler._archive import Reader
from assay.expr import fields_of, op_table

_NAMED: Final = re.compile(r"`([a-z_][a-z0-9_]*)`")


@dataclass(frozen=True)
class SamplerReviewer:
    """Holds words to formulas as far as that goes without a model.

    A candidate is consistent when its formula can be read and each field or op that hypothesis or description
    name between backticks is in the formula. What a hypothesis means is not judged.
    """

    reader: Reader

    def review(self, context: ReviewContext) -> Reviews:
        """One review for each candidate."""
        return Reviews(tuple(self._review(candidate) for candidate in context.candidates))

    def _review(self, candidate: Candidate) -> Review:
        expression = self.reader.expression(candidate.expression)
        if expression is None:
            return Review(candidate.slot, False, "the formula cannot be read with the fields of the campaign")
        known = {*self.reader.space.fields, *op_table()}
        named = {*_NAMED.findall(candidate.hypothesis), *_NAMED.findall(candidate.description)} & known
        absent = sorted(named - {*fields_of(expression.node), *used_ops([expression.node])})
        if absent:
            return Review(candidate.slot, False, f"named in words, not in the formula: {', '.join(absent)}")
        return Review(candidate.slot, True)
