from __future__ import annotations

from itertools import product

from assay.base import json_hash
from assay.discovery._desk import DiscoveryDesk, Leaderboard, label_of, leaderboard
from assay.discovery._duration import seconds_of
from assay.discovery._event_bars import event_bars, series_of
from assay.discovery._reduce import Sums
from assay.discovery._signal import SignalDesk
from assay.discovery._specs import EventWindowSpec
from assay.metrics import lag_rows

METHOD = "event_window"


def search_events(desk: DiscoveryDesk, spec: EventWindowSpec) -> Leaderboard:
    """Score every combination of windows and reduction as a signal, and rank them by RankIC.

    A combination for which too few events count is not evaluated, and is no trial.

    Raises
    ------
    Refusal
        ``bad_target``; ``bad_spec``: the data set has no events, or no such bars, or the target is known on
        none of them.
    """
    store = desk.store
    label = label_of(store.graph, spec.target)
    series = series_of(store.panel, spec.events)
    events = event_bars(store, label, series, spec.bars)
    scored = SignalDesk.of(store, spec.target, label, events.bars, METHOD, 0)
    sums = Sums.of(events)
    found, excluded = [], 0
    for pre, post in product(spec.pre_windows, spec.post_windows):
        window = sums.window(seconds_of(pre), seconds_of(post))
        if window.matched(scored.scorer.judged, events.lag) < spec.min_events:
            excluded += len(spec.reductions)
            continue
        for how in spec.reductions:
            signal = lag_rows(window.reduced(how), events.lag)
            subject = f"{how}({series}, pre={pre}, post={post})"
            content = {
                "series": series,
                "pre": seconds_of(pre),
                "post": seconds_of(post),
                "reduction": how,
                "lag": events.lag,
            }
            digest = json_hash(content)
            found.append(scored.evaluate(signal, subject, f"events:{digest}"))
    return leaderboard(desk, found, method=METHOD, objective="rank_ic", target=spec.target, excluded=excluded)
