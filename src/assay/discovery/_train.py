from __future__ import annotations

from collections.abc import Sequence

from assay.discovery._reasons import BAD_SPEC
from assay.errors import Refusal
from assay.features import FeatureStore
from assay.models import EMPTY_FOLD, NO_FOLDS, Evaluated, Fitted, Strategy, Trainer


class Trainee:
    """Trains one strategy after another; those for which the data does not suffice are counted."""

    def __init__(self, store: FeatureStore) -> None:
        self._trainer = Trainer(store)
        self._last: Refusal | None = None
        self.excluded = 0

    def run(self, strategy: Strategy) -> Fitted | None:
        """What a strategy says out of fold; None where no fold can be made or trained.

        Raises
        ------
        AssayError
            As :meth:`assay.models.Trainer.run`, but for too few bars and empty folds.
        """
        try:
            return self._trainer.run(strategy)
        except Refusal as refusal:
            if refusal.reason not in (NO_FOLDS, EMPTY_FOLD):
                raise
            self._last = refusal
            self.excluded += 1
            return None

    def require_some(self, found: Sequence[Evaluated]) -> None:
        """Refuse a search of which nothing could be trained, with the cause.

        Raises
        ------
        Refusal
            ``bad_spec``.
        """
        if not found and self._last is not None:
            raise Refusal(BAD_SPEC, self._last.message, fix=self._last.fix)
