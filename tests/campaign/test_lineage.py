from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from assay.campaign._lineage import Lineage, buildable, lineages
from assay.campaign._types import RoundRecord, TrialRecord

from .past import histories, history, rounds, trial


def _family() -> list[TrialRecord]:
    """r01-s00 has two children, one refused; the other has an admitted child; one slot stayed empty."""
    return [
        trial(1, 0, "admitted"),
        trial(2, 0, "rejected", parent="r01-s00"),
        trial(2, 1, "gate_refused", parent="r01-s00"),
        trial(2, 2, "no_candidate", parent="r01-s00"),
        trial(3, 0, "admitted", parent="r02-s00"),
        trial(3, 1, "rejected"),
    ]


def test_lineage_of_every_trial() -> None:
    found = lineages(_family())
    assert found["r01-s00"] == Lineage((), ("r02-s00", "r02-s01"), ("r03-s00",))
    assert found["r02-s00"] == Lineage(("r01-s00",), ("r03-s00",), ("r03-s00",))
    assert found["r03-s00"] == Lineage(("r02-s00", "r01-s00"), (), ())
    assert found["r02-s02"] == Lineage(("r01-s00",), (), ())
    assert found["r03-s01"] == Lineage()


def test_what_is_not_an_earlier_trial_is_no_parent() -> None:
    found = lineages([trial(1, 0, parent="r01-s00"), trial(1, 1, parent="r02-s00"), trial(2, 0)])
    assert set(found.values()) == {Lineage()}


def test_lineage_in_words() -> None:
    assert Lineage().text() == ""
    assert Lineage(("r02-s00", "r01-s00"), ("r04-s00",), ()).text() == (
        "ancestors r02-s00 < r01-s00; children r04-s00"
    )
    many = tuple(f"r02-s{n:02d}" for n in range(20))
    assert Lineage(children=many).text().endswith("r02-s11 and 8 more")


def test_max_children_takes_parents_off() -> None:
    trials = _family()
    known = lineages(trials)

    def ids(most: int | None) -> list[str]:
        return [item.id for item in buildable(trials, known, most)]

    assert ids(None) == ["r01-s00", "r02-s00", "r03-s00", "r03-s01"]
    assert ids(3) == ids(None)
    assert ids(2) == ["r02-s00", "r03-s00", "r03-s01"]
    assert ids(1) == ["r03-s00", "r03-s01"]


@given(histories())
def test_ancestors_and_descendants_agree(records: list[RoundRecord]) -> None:
    trials = history(records).trials
    found = lineages(trials)
    by_id = {item.id: item for item in trials}
    for name, lineage in found.items():
        chain = [name, *lineage.ancestors]
        assert all(by_id[child].parent == parent for child, parent in pairwise(chain))
        assert by_id[chain[-1]].parent is None
        for child in lineage.children:
            assert by_id[child].parent == name
        for descendant in lineage.admitted_descendants:
            assert by_id[descendant].admitted
            assert name in found[descendant].ancestors
    admitted = [item.id for item in trials if item.admitted]
    told = sum(len(lineage.admitted_descendants) for lineage in found.values())
    assert told == sum(len(found[name].ancestors) for name in admitted)


def test_a_long_chain_is_told_in_full_and_shown_in_part() -> None:
    groups = [[trial(1, 0)], *([trial(n, 0, parent=f"r{n - 1:02d}-s00")] for n in range(2, 31))]
    last = lineages(history(rounds(*groups)).trials)["r30-s00"]
    assert len(last.ancestors) == 29
    assert last.text().endswith("r18-s00 < ...")
