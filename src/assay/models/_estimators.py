"""Models that learn from rows: features (rows, F) and targets (rows,) to a prediction."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.base import require
from assay.errors import AssayError
from assay.models._strategy import Strategy

Floats = NDArray[np.float64]

EXTRA = "models"


class ModelMissing(AssayError):
    """A model needs a package that is not installed; the extra that brings it is named."""

    kind = "model_missing"


class Estimator(Protocol):
    """What is fitted on training rows and predicts test rows."""

    def fit(self, x: Floats, y: Floats) -> Any:
        """Learn from rows ``(n, F)`` and targets ``(n,)``."""
        ...

    def predict(self, x: Floats) -> Any:
        """Predictions ``(n,)`` of rows ``(n, F)``."""
        ...


class Ridge:
    """Least squares with a penalty on the squared weights, without an intercept (features are centred).

    Minimises ``|y - Xw|^2 + alpha |w|^2`` by its normal equations; with ``alpha`` 0, or columns that depend
    on each other, the solution of least norm. Source: Hoerl and Kennard (1970).
    """

    def __init__(self, alpha: float) -> None:
        self._alpha = alpha
        self.weights: Floats = np.empty(0)

    def fit(self, x: Floats, y: Floats) -> Ridge:
        """See :class:`Estimator`."""
        return self.solve(x.T @ x, x.T @ y)

    def solve(self, gram: Floats, moment: Floats) -> Ridge:
        """The same from the sums ``x'x`` ``(F, F)`` and ``x'y`` ``(F,)``, which folds can share."""
        penalty = self._alpha * np.eye(len(gram))
        self.weights = np.asarray(np.linalg.lstsq(gram + penalty, moment, rcond=None)[0], dtype=np.float64)
        return self

    def predict(self, x: Floats) -> Floats:
        """See :class:`Estimator`."""
        return np.asarray(x @ self.weights, dtype=np.float64)


def make_estimator(strategy: Strategy) -> Estimator:
    """The estimator of a strategy, not fitted.

    Raises
    ------
    ModelMissing
        The model needs the extra ``models``, which is not installed.
    """
    get = strategy.parameter
    if strategy.model == "ridge":
        return Ridge(get("alpha"))
    if strategy.model == "linear":
        return Ridge(0.0)
    made: Estimator
    if strategy.model == "lightgbm":
        lightgbm = _package("lightgbm")
        made = lightgbm.LGBMRegressor(
            n_estimators=int(get("n_estimators")),
            num_leaves=int(get("num_leaves")),
            learning_rate=get("learning_rate"),
            min_child_samples=int(get("min_child_samples")),
            random_state=strategy.seed,
            n_jobs=1,  # sums in one order, whatever the machine
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
        )
        return made
    linear = _package("sklearn.linear_model")
    ratio = 1.0 if strategy.model == "lasso" else get("l1_ratio")
    made = linear.ElasticNet(alpha=get("alpha"), l1_ratio=ratio, fit_intercept=False, max_iter=10_000)
    return made


def _package(name: str) -> ModuleType:
    try:
        return require(name, extra=EXTRA)
    except AssayError as error:
        raise ModelMissing(error.message, where=error.where, fix=error.fix) from error
