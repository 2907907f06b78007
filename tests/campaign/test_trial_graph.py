from __future__ import annotations

import json
import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from assay.base import canonical_json
from assay.campaign._claim import claim
from assay.campaign._files import RunFiles
from assay.campaign._past import Past
from assay.campaign._settings import CampaignConfig, ContextSettings, RoundSettings
from assay.campaign._trial_graph import TrialEdge, graph_json, promise, trial_graph, write
from assay.campaign._types import RoundRecord, SlotPlan

from .past import FixedCorrelations, histories, history, rounds, trial

CONFIG = CampaignConfig(
    context=ContextSettings(theme_correlation=0.7), round=RoundSettings(picked_parents=True, max_children=2)
)
TRIED = FixedCorrelations({("r01-s00", "r01-s01"): 0.9})


def _past() -> Past:
    """A theme of two (t 4, t -3), one alone (t 2) with a child (t 1), one without a t, one refused."""
    first = [
        trial(1, 0, "admitted", t=4.0),
        trial(1, 1, t=-3.0),
        trial(1, 2, t=2.0),
        trial(1, 3, t=None),
        trial(1, 4, "gate_refused"),
    ]
    second = [trial(2, 0, t=1.0, parent="r01-s02", kind="mutation"), trial(2, 1, "gate_refused")]
    return Past.of(history(rounds(first, second)), CONFIG, TRIED)


def test_promise() -> None:
    assert promise(-3.0, 1, 0) == 3.0
    assert promise(3.0, 4, 0) == 1.5
    assert promise(3.0, 4, 2) == 0.5
    assert promise(1.0, 3, 0) == round(1 / math.sqrt(3), 6)


def test_the_graph_of_a_round() -> None:
    graph = trial_graph(_past())
    assert graph.round == 3
    assert [(node.id, node.theme, node.children, node.promise) for node in graph.nodes] == [
        ("r01-s00", 1, 0, promise(4, 2, 0)),
        ("r01-s01", 1, 0, promise(3, 2, 0)),
        ("r01-s02", 2, 1, 1.0),
        ("r01-s03", 3, 0, 0.0),
        ("r02-s00", 4, 0, 1.0),
    ]
    assert graph.edges == (TrialEdge("r01-s02", "r02-s00", "mutation"),)


def test_the_pick_order() -> None:
    """By promise; of equals the one with fewer children first; without a t not at all."""
    assert trial_graph(_past()).picks == ("r01-s00", "r01-s01", "r02-s00", "r01-s02")


def test_equals_go_by_age() -> None:
    past = Past.of(history(rounds([trial(1, 0, t=2.0), trial(1, 1, t=-2.0)])), CONFIG, FixedCorrelations({}))
    assert trial_graph(past).picks == ("r01-s00", "r01-s01")


def test_max_children_takes_a_trial_off_the_picks() -> None:
    children = [trial(2, slot, t=0.5, parent="r01-s00") for slot in range(2)]
    past = Past.of(history(rounds([trial(1, 0, t=9.0)], children)), CONFIG, FixedCorrelations({}))
    graph = trial_graph(past)
    assert graph.picks == ("r02-s00", "r02-s01")
    assert not graph.nodes[0].buildable


def test_picks_claim_slots_of_their_type() -> None:
    past = _past()
    plans = [SlotPlan(0, "momentum"), SlotPlan(1, "reversal"), SlotPlan(2, "reversal")]
    assert claim(plans, trial_graph(past).picks, past.by_id) == {0: "r01-s00", 1: "r01-s01"}


def test_without_themes_every_trial_counts_by_itself() -> None:
    graph = trial_graph(Past.of(history(rounds([trial(1, 0, t=2.5)])), CampaignConfig()))
    assert (graph.nodes[0].theme, graph.nodes[0].promise) == (0, 2.5)


def test_the_file_is_canonical_and_replaced_whole(tmp_path: Path) -> None:
    files, graph = RunFiles(tmp_path), trial_graph(_past())
    write(files, graph, {5: "r01-s01", 2: "r01-s00"})
    path = tmp_path / "trial_graph" / "round_03.json"
    first = path.read_text()
    data = json.loads(first)
    assert first == canonical_json(data) + "\n"
    assert data["claims"] == [[2, "r01-s00"], [5, "r01-s01"]]
    assert data["picks"][0] == "r01-s00"
    write(files, graph, {})
    assert json.loads(path.read_text())["claims"] == []
    assert [item.name for item in path.parent.iterdir()] == ["round_03.json"]


@given(histories(), st.integers(1, 3))
def test_the_graph_is_a_pure_function_of_the_past(records: list[RoundRecord], most: int) -> None:
    config = CampaignConfig(
        context=ContextSettings(theme_correlation=0.7), round=RoundSettings(max_children=most)
    )
    texts = {graph_json(trial_graph(Past.of(history(records), config, TRIED)), {}) for _ in range(2)}
    assert len(texts) == 1
    graph = trial_graph(Past.of(history(records), config, TRIED))
    nodes = {node.id: node for node in graph.nodes}
    assert len(set(graph.picks)) == len(graph.picks)
    order = [(-nodes[name].promise, nodes[name].children) for name in graph.picks]
    assert order == sorted(order)
    assert all(nodes[name].children < most for name in graph.picks)
