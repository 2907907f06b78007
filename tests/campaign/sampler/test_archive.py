from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.campaign import Candidate, Direction, History, RoundRecord, TrialRecord
from assay.campaign.sampler import Reader, SamplerSpace, fitness

from .conftest import FIELDS

FORMULAS = (
    "ts_return(close, 5)", "ts_return(close, 120)", "ts_std(returns, 20)", "ts_corr(close, volume, 10)",
    "volume / ts_mean(volume, 20)", "ts_mean(fill_missing(vec_avg(news)), 10)", "equity / cap",
    "rank(dividend)",
)  # fmt: skip


def trial(
    number: int,
    text: str,
    ic: float | None = 0.03,
    *,
    turnover: float | None = 12.0,
    outcome: str = "rejected",
) -> TrialRecord:
    direction = Direction(number, "reversal", "new", "form `ts_return(P, s)`")
    figures = {"rank_ic": ic, "neutral_rank_ic": ic, "turnover": turnover, "t": 3.0}
    return TrialRecord(
        f"r01-s{number:02d}", 1, number, direction, Candidate(number, "x", text), outcome,  # type: ignore[arg-type]
        fingerprint=f"f{number}", figures=figures,
    )  # fmt: skip


def history(*trials: TrialRecord) -> History:
    return History((RoundRecord(1, {}, {}, trials),))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(FORMULAS),
            st.one_of(st.none(), st.floats(-0.1, 0.1)),
            st.sampled_from(["rejected", "admitted", "gate_refused"]),
        ),
        max_size=30,
    )
)
@settings(max_examples=60, deadline=None)
def test_each_niche_keeps_its_best(rows: list[tuple[str, float | None, str]]) -> None:
    trials = [trial(n, text, ic, outcome=outcome) for n, (text, ic, outcome) in enumerate(rows)]
    reader = Reader(SamplerSpace(FIELDS))
    found = reader.archive(history(*trials))
    assert set(found.scored) <= {item.id for item in trials if item.evaluated}
    assert all("dividend" not in elite.expression.text for elite in found.scored.values())
    for niche, elite in found.elites.items():
        rivals = [other for other in found.scored.values() if other.niche == niche]
        assert elite in rivals
        assert elite.fitness == max(other.fitness for other in rivals)
    assert {elite.niche for elite in found.scored.values()} == set(found.elites)
    assert found == Reader(SamplerSpace(FIELDS)).archive(history(*trials))


def test_niches_tell_fields_lookback_and_turnover_apart() -> None:
    reader = Reader(SamplerSpace(FIELDS))
    trials = [trial(0, FORMULAS[0]), trial(1, FORMULAS[1]), trial(2, FORMULAS[2])]
    trials += [trial(3, FORMULAS[0], turnover=40.0), trial(4, FORMULAS[0], turnover=None)]
    assert len(reader.archive(history(*trials)).elites) == 5


def test_the_worst_fold_and_size_and_turnover_count_against_a_trial() -> None:
    base = trial(0, FORMULAS[0])
    with_fold = {name: replace(base, figures={**base.figures, "worst_fold": fold}) for name, fold in
                 (("steady", 0.03), ("shaky", -0.02))}  # fmt: skip
    assert fitness(with_fold["steady"], 5) == fitness(base, 5)
    assert fitness(with_fold["shaky"], 5) < fitness(base, 5)
    assert fitness(base, 30) < fitness(base, 5)
    assert fitness(trial(0, FORMULAS[0], turnover=40.0), 5) < fitness(base, 5)
    style = replace(base, figures={**base.figures, "neutral_rank_ic": None})
    assert 0 < fitness(style, 5) < fitness(base, 5)


def test_children_and_forms_are_tallied() -> None:
    parent = trial(0, FORMULAS[0], 0.02, outcome="admitted")
    better, worse = trial(1, FORMULAS[1], 0.05), trial(2, FORMULAS[2], 0.01)
    children = [
        replace(item, direction=replace(item.direction, kind="refinement", parent=parent.id, text=""))
        for item in (better, worse)
    ]
    alike = replace(trial(3, FORMULAS[3], 0.05), reason="admission.value_corr")
    found = Reader(SamplerSpace(FIELDS)).archive(history(parent, *children, alike))
    assert (found.children[parent.id].wins, found.children[parent.id].tries) == (1, 2)
    tally = found.forms["reversal", "ts_return(P, s)"]
    assert (tally.wins, tally.tries) == (1, 2)


def test_a_field_with_which_every_formula_lacked_coverage_is_thin() -> None:
    lacking = [
        replace(trial(number, f"equity / ts_mean(cap, {number + 2})"), reason="admission.coverage")
        for number in range(5)
    ]
    reader = Reader(SamplerSpace(FIELDS))
    assert reader.archive(history(*lacking[:4])).thin == frozenset()
    assert reader.archive(history(*lacking)).thin == {"equity", "cap"}
    assert reader.archive(history(*lacking, trial(9, "cap / ts_mean(amount, 20)"))).thin == {"equity"}
