from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.base import Workers
from assay.discovery._desk import DiscoveryDesk, Leaderboard, label_of, leaderboard
from assay.discovery._draw import Drawn, draw
from assay.discovery._signal import SignalDesk
from assay.discovery._specs import FactorMiningSpec
from assay.features import FeatureStore
from assay.models import Bars, Evaluated

METHOD = "factor_mining"


def mine(desk: DiscoveryDesk, spec: FactorMiningSpec) -> Leaderboard:
    """Draw random formulas, score each as a signal, and rank them.

    A feature that is a formula is written out, so that a candidate reads columns wherever it can, and may be
    given to the judge as it stands.

    Raises
    ------
    Refusal
        ``unknown_feature``, ``bad_inputs``, ``bad_target``; ``bad_spec``: no formula can be drawn, or the
        target is known on no day; ``broken_feature``.
    """
    store = desk.store
    label = label_of(store.graph, spec.target)
    drawn = draw(store.panel, store.graph, spec)
    scored = SignalDesk.of(
        store, spec.target, label, Bars.daily(store, label.fill, store.universe), METHOD, spec.seed
    )
    found = _evaluated(store, scored, drawn, desk.threads)
    return leaderboard(
        desk,
        found,
        method=METHOD,
        objective=spec.objective,
        target=spec.target,
        least=scored.least,
        twins=True,
    )


def _evaluated(
    store: FeatureStore, scored: SignalDesk, drawn: tuple[Drawn, ...], threads: int
) -> list[Evaluated]:
    """The evaluations of a batch, in its order; each signal is scored beside the engine and let go."""
    by_name = {str(place): item for place, item in enumerate(drawn)}
    with Workers[Evaluated](threads) as workers:

        def take(name: str, signal: NDArray[np.float32]) -> None:
            item = by_name[name]
            workers.submit(name, lambda: scored.evaluate(signal, item.expression.text, item.fingerprint))

        nodes = {name: item.expression.node for name, item in by_name.items()}
        store.known_formulas(nodes, take, threads=threads)
        results = workers.results()
    return [results[name] for name in by_name]
