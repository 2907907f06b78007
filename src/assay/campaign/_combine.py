"""Several factors as one: the mean of their ranks, ridge, and boosted trees; nothing hidden is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from assay.base import require

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

Combination = Literal["equal", "ridge", "lightgbm"]

PENALTIES: Final = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
"""Of ridge, in units of the mean variance of the ranks; the validate tail picks one."""

ROUNDS: Final = 300
"""Most trees; the validate tail picks how many are kept."""

LEAST_NAMES: Final = 30
_TREES: Final[Mapping[str, Any]] = {
    "objective": "regression",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.8,
    "lambda_l2": 10.0,
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
}


@dataclass(frozen=True)
class Samples:
    """What a combination learns from.

    Parameters
    ----------
    ranks : one ``(T, N)`` for each factor: ranks of its values among the members of the date, from -0.5 to
        0.5, NaN where a member has none, which then counts as the middle.
    label : ranks of the forward return in the same way ``(T, N)``, NaN where there is none.
    members : bool ``(T, N)``.
    train, validate : rows to fit on, and rows by which the penalty is picked.
    """

    ranks: Sequence[Singles]
    label: Singles
    members: Bools
    train: slice
    validate: slice

    @cached_property
    def valued(self) -> Bools:
        """Members that any factor has a value of."""
        found: Bools = self.members & np.any([np.isfinite(ranks) for ranks in self.ranks], axis=0)
        return found

    @property
    def known(self) -> slice:
        """Both, one after the other."""
        return slice(self.train.start, self.validate.stop)


@dataclass(frozen=True, slots=True)
class Combined:
    """A fitted combination.

    Parameters
    ----------
    values : ``(T, N)`` float32, NaN outside of the members.
    weights : of the factors, in their order; of trees, the share of the gain.
    penalty : picked by the validate tail: of ridge, the number of trees; None where there is none.
    validate_rank_ic : mean daily RankIC there, of the fit that saw only the training rows.
    """

    kind: Combination
    values: Singles
    weights: tuple[float, ...]
    penalty: float | None
    validate_rank_ic: float


def centred_ranks(values: npt.NDArray[np.floating[Any]], members: Bools) -> Singles:
    """Average ranks by date, ``(r - (n + 1) / 2) / n``; NaN outside of ``members`` and where undefined."""
    from assay.metrics import average_ranks

    scaled = average_ranks(values, universe=members)
    count = np.isfinite(scaled).sum(axis=1, keepdims=True)
    found: Singles = (scaled - (count + 1) / (2 * np.maximum(count, 1))).astype(np.float32)
    return found


def combine(kind: Combination, samples: Samples, seed: int) -> Combined:
    """Fit a combination on the training rows, pick its penalty on the validate rows, and fit it to both.

    Raises
    ------
    AssayError
        ``lightgbm`` is asked for, and the extra ``models`` is not installed.
    """
    made = {"equal": _equal, "ridge": _ridge, "lightgbm": _trees}
    return made[kind](samples, seed)


def require_combination(kind: Combination) -> None:
    """Fail before anything is opened where a combination cannot be made.

    Raises
    ------
    AssayError
        It needs an extra that is not installed.
    """
    if kind == "lightgbm":
        require("lightgbm", extra="models")


def rank_ic(values: Singles, label: Singles, members: Bools, rows: slice) -> float:
    """Mean daily rank correlation over rows with enough names; NaN without any."""
    found = []
    for row in range(rows.start, rows.stop):
        both = members[row] & np.isfinite(values[row]) & np.isfinite(label[row])
        if both.sum() >= LEAST_NAMES:
            x, y = (_ranked(part[row][both]) for part in (values, label))
            spread = float(np.sqrt((x @ x) * (y @ y)))
            if spread > 0:
                found.append(float(x @ y) / spread)
    return float(np.mean(found)) if found else float("nan")


def _ranked(values: Singles) -> Floats:
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values).astype(np.float64)
    centred: Floats = ranks - ranks.mean()
    return centred


def _equal(samples: Samples, seed: int) -> Combined:
    weights = np.full(len(samples.ranks), 1 / len(samples.ranks))
    return _linear("equal", samples, weights, weights, None)


def _ridge(samples: Samples, seed: int) -> Combined:
    gram, moment = _moments(samples, samples.train)
    tried = [_solve(gram, moment, penalty) for penalty in PENALTIES]
    reached = [
        rank_ic(_mixed(samples, weights), samples.label, samples.members, samples.validate)
        for weights in tried
    ]
    # of equal ones the stronger penalty
    best = max(range(len(PENALTIES)), key=lambda place: (np.nan_to_num(reached[place], nan=-2.0), place))
    final = _solve(*_moments(samples, samples.known), PENALTIES[best])
    return _linear("ridge", samples, final, tried[best], PENALTIES[best])


def _linear(
    kind: Combination, samples: Samples, weights: Floats, fitted: Floats, penalty: float | None
) -> Combined:
    reached = rank_ic(_mixed(samples, fitted), samples.label, samples.members, samples.validate)
    return Combined(kind, _mixed(samples, weights), tuple(weights.tolist()), penalty, reached)


def _mixed(samples: Samples, weights: Floats) -> Singles:
    total: Floats = np.zeros(samples.members.shape)
    for weight, ranks in zip(weights, samples.ranks, strict=True):
        total += weight * np.nan_to_num(ranks)
    return np.where(samples.valued, total, np.nan).astype(np.float32)


def _moments(samples: Samples, rows: slice) -> tuple[Floats, Floats]:
    """Second moments of the ranks, and with the label's; each date has the same weight."""
    used = samples.members[rows] & np.isfinite(samples.label[rows])
    count = used.sum(axis=1)
    enough = count >= LEAST_NAMES
    share = np.where(used, (enough / np.maximum(count, 1) / max(int(enough.sum()), 1))[:, None], 0.0)
    y = np.where(used, samples.label[rows], 0.0).astype(np.float64)
    columns = [np.nan_to_num(ranks[rows]).astype(np.float64) for ranks in samples.ranks]
    gram = np.array([[float((share * a * b).sum()) for b in columns] for a in columns])
    return gram, np.array([float((share * a * y).sum()) for a in columns])


def _solve(gram: Floats, moment: Floats, penalty: float) -> Floats:
    scale = float(np.trace(gram)) / len(gram)
    ridge = gram + penalty * scale * np.eye(len(gram))
    # least squares rather than a solver: without a penalty equal factors leave it singular
    return np.asarray(np.linalg.lstsq(ridge, moment, rcond=1e-10)[0], dtype=np.float64)


def _trees(samples: Samples, seed: int) -> Combined:
    lightgbm: Any = require("lightgbm", extra="models")
    parameters = {**_TREES, "seed": seed % 2**31}

    def fit(rows: slice, rounds: int) -> Any:
        used = samples.valued[rows] & np.isfinite(samples.label[rows])
        data = lightgbm.Dataset(_table(samples, rows)[used.ravel()], samples.label[rows][used])
        return lightgbm.train(parameters, data, rounds)

    first = fit(samples.train, ROUNDS)
    steps = range(10, ROUNDS + 1, 10)
    reached = {n: _tree_ic(samples, _predicted(first, samples, samples.validate, n)) for n in steps}
    best = max(steps, key=lambda n: (np.nan_to_num(reached[n], nan=-2.0), -n))
    final = fit(samples.known, best)
    gain = np.asarray(final.feature_importance("gain"), dtype=np.float64)
    share = gain / gain.sum() if gain.sum() > 0 else gain
    values = _predicted(final, samples, slice(0, len(samples.members)), best)
    return Combined("lightgbm", values, tuple(share.tolist()), float(best), reached[best])


def _tree_ic(samples: Samples, values: Singles) -> float:
    rows = samples.validate
    return rank_ic(values, samples.label[rows], samples.members[rows], slice(0, len(values)))


def _table(samples: Samples, rows: slice) -> Singles:
    return np.stack([np.nan_to_num(ranks[rows]).ravel() for ranks in samples.ranks], axis=1)


def _predicted(model: Any, samples: Samples, rows: slice, rounds: int) -> Singles:
    members = samples.valued[rows]
    flat = model.predict(_table(samples, rows), num_iteration=rounds, num_threads=1)
    return np.where(members, np.asarray(flat).reshape(members.shape), np.nan).astype(np.float32)
