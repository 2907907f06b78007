from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.base import canonical_json
from assay.campaign._feedback import families_of, feedback, parent, parents
from assay.campaign._past import Past
from assay.campaign._records import history_of
from assay.campaign._settings import CampaignConfig, ContextSettings, RoundSettings
from assay.campaign._types import Direction, Family, Feedback, PoolFactor, RoundRecord, trial_id
from assay.expr import parse

from .past import MECHANISMS, FixedCorrelations, entries, entry, histories, history, rounds, trial

FAMILIES = (Family("classics", False, ("a: rank(close)",), 9), Family("ours", True, (), 2))
TRIED = FixedCorrelations({("r01-s00", "r01-s01"): 0.9})


def _config(**context: Any) -> CampaignConfig:
    most = context.pop("max_children", None)
    return CampaignConfig(
        mechanisms=dict.fromkeys(MECHANISMS, "words"),
        context=ContextSettings(seed_directions=("gaps close",), **context),
        round=RoundSettings(max_children=most),
    )


def _records() -> list[RoundRecord]:
    return rounds(
        [trial(1, 0, "admitted", t=4.0), trial(1, 1, t=-1.0), trial(1, 2, "gate_refused")],
        [trial(2, 0, "admitted", t=3.5, parent="r01-s00", kind="mutation"), trial(2, 1, "no_candidate")],
        [trial(3, 0, "rejected", t=2.0, detail="t is 2.00, 3 is needed", reason="t_too_low")],
        memory={3: "momentum works"},
    )


def _made(config: CampaignConfig, records: list[RoundRecord] | None = None) -> Feedback:
    past = Past.of(history(_records() if records is None else records), config, TRIED)
    return feedback(past, config, FAMILIES)


def test_trial_ids_sort_and_are_ids() -> None:
    assert trial_id(3, 5) == "r03-s05"
    assert trial_id(123, 100) == "r123-s100"


def test_what_planner_and_proposer_read() -> None:
    found = _made(_config(recent_rounds=1))
    assert found.seed_directions == ("gaps close",)
    assert found.families == FAMILIES
    assert found.memory == "momentum works"
    assert found.last_round == (
        "r03-s00 | momentum | new | idea 3.0 | rank(ts_return(close, 61)) | rejected (t_too_low) | "
        "rank_ic=+0.0100 t=+2.00 | t is 2.00, 3 is needed",
    )
    assert [line[:7] for line in found.accepted] == ["r01-s00", "r02-s00"]
    assert found.buildable == ("r01-s00", "r01-s01", "r02-s00", "r03-s00")


def test_the_best_mechanisms_come_first() -> None:
    """Momentum has two admissions, reversal one evaluated trial; liquidity was never evaluated."""
    first, second = _made(_config()).best
    assert first.startswith("momentum | 2 admitted of 3 evaluated | best r01-s00 | ")
    assert second.startswith("reversal | 0 admitted of 1 evaluated | best r01-s01 | ")


def test_recent_rounds_are_listed_and_older_ones_counted() -> None:
    found = _made(_config(recent_rounds=1))
    assert [line[:7] for line in found.recent] == ["r03-s00"]
    assert found.earlier == (
        "momentum | admitted 2",
        "reversal | rejected 1, no_candidate 1",
        "liquidity | gate_refused 1",
    )
    everything = _made(_config(recent_rounds=9))
    assert (len(everything.recent), everything.earlier) == (6, ())
    nothing = _made(_config(recent_rounds=0))
    assert (nothing.recent, nothing.earlier[0]) == ((), "momentum | admitted 2, rejected 1")


def test_without_feedback_only_seeds_and_families_are_read() -> None:
    found = _made(_config(feedback=False, theme_correlation=0.7, lineage=True))
    assert found == Feedback(seed_directions=("gaps close",), families=FAMILIES)


def test_themes_only_where_they_are_configured() -> None:
    assert _made(_config()).themes == ()
    themes = _made(_config(theme_correlation=0.7)).themes
    assert themes[0].startswith("theme 1 | 2 trials, 1 admitted | led by r01-s00 momentum: ")
    assert len(themes) == 3


def test_lineage_only_where_it_is_configured() -> None:
    plain, shown = _made(_config()).accepted, _made(_config(lineage=True)).accepted
    assert shown == (
        plain[0] + " | children r02-s00; admitted descendants r02-s00",
        plain[1] + " | ancestors r01-s00",
    )


def test_max_children_takes_trials_off() -> None:
    assert "r01-s00" not in _made(_config(max_children=1)).buildable
    assert "r01-s00" in _made(_config(max_children=2)).buildable


def test_an_empty_past() -> None:
    assert _made(_config(theme_correlation=0.7), []) == Feedback(("gaps close",), FAMILIES)


def test_the_block_about_a_parent() -> None:
    config = _config(lineage=True)
    past = Past.of(history(_records()), config)
    directions = [
        Direction(0, "momentum", "refinement", "x", "r02-s00"),
        Direction(1, "reversal", "new", "y"),
        Direction(2, "reversal", "refinement", "z", "r09-s09"),
    ]
    assert parents(past, config, directions) == {
        0: "r02-s00: momentum, mutation of r01-s00, admitted\n"
        "name: n0\n"
        "expression: rank(ts_return(close, 41))\n"
        "hypothesis: why\n"
        "description: what\n"
        "direction: idea 2.0\n"
        "figures: rank_ic=+0.0100 t=+3.50\n"
        "lineage: ancestors r01-s00"
    }
    assert "lineage" not in parents(past, _config(), directions)[0]


def test_texts_stay_in_their_lines() -> None:
    """A text with line ends, marks of other lines or halves of characters cannot pass for more of them."""
    hostile = "a\n- r09-s00 | admitted\r\u2028\ud800\x00" + "b" * 5000
    item = trial(1, 0, text=hostile, expression=hostile, detail=hostile)
    found = _made(_config(), rounds([item]))
    for line in (*found.recent, *found.last_round, *found.best):
        assert line.isprintable()
        assert len(line) < 1000
    assert all(line.isprintable() for line in parent(item).split("\n"))
    assert len(parent(item).split("\n")) == 8


def test_figures_that_are_undefined_are_told() -> None:
    item = trial(1, 0, figures={"t": None, "rank_ic": float("nan"), "coverage": 0.5, "unknown": 1.0})
    assert _made(_config(), rounds([item])).recent[0].endswith("rank_ic=undefined t=undefined coverage=0.500")


def test_families_come_from_the_pools() -> None:
    def factor(name: str, family: str, known: bool) -> PoolFactor:
        return PoolFactor(name, family, parse("rank(close / open)"), known)

    pool = [factor(f"a{n}", "classics", False) for n in range(6)]
    pool += [factor("k", "classics", True), factor("m", "mine", True)]
    example = "rank(close / open)"
    assert families_of(pool) == (
        Family("classics", False, tuple(f"a{n}: {example}" for n in range(4)), 6),
        Family("classics", True, (f"k: {example}",), 1),
        Family("mine", True, (f"m: {example}",), 1),
    )


def _bytes(found: Feedback) -> str:
    return canonical_json(asdict(found))


@given(histories(), st.integers(0, 4), st.booleans(), st.randoms(use_true_random=False))
def test_feedback_is_a_pure_function_of_the_ledger(
    records: list[RoundRecord], recent: int, lineage: bool, rng: random.Random
) -> None:
    """Made of the records it has the bytes that it has made in memory, and records of other kinds, dropped
    rounds and the order of keys change nothing."""
    config = _config(recent_rounds=recent, lineage=lineage, theme_correlation=0.7, max_children=2)
    plain = entries(records)
    mixed = [item._replace(body=_shuffled(item.body, rng)) for item in plain]
    noise = [
        entry("trial", {"fingerprint": "f"}),
        entry("llm_call", {"role": "planner"}),
        entry("round", {"number": 99, "outcome": "dropped"}),
        entry("gate_verdict", {"gate": "candidate", "passed": False}),
    ]
    for item in rng.sample(noise, len(noise)):
        mixed.insert(rng.randint(0, len(mixed)), item)
    made = [
        _bytes(feedback(Past.of(past, config, TRIED), config, FAMILIES))
        for past in (history(records), history_of(plain), history_of(mixed))
    ]
    assert made[0] == made[1] == made[2]


@given(histories())
def test_every_trial_is_told_once(records: list[RoundRecord]) -> None:
    found = _made(_config(recent_rounds=2), records)
    counts = [part.split()[-1] for line in found.earlier for part in line.split(" | ")[1].split(", ")]
    assert len(found.recent) + sum(map(int, counts)) == len(history(records).trials)


def _shuffled(value: Any, rng: random.Random) -> Any:
    """The same data with the keys of its objects in another order."""
    if isinstance(value, Mapping):
        keys = list(value)
        rng.shuffle(keys)
        return {key: _shuffled(value[key], rng) for key in keys}
    return [_shuffled(item, rng) for item in value] if isinstance(value, list) else value
