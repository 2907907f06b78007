"""What N, its parts and V[SR] count, and when they are refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from assay.errors import Refusal
from assay.ledger import (
    INCOMPLETE_SCOPE,
    UNKNOWN_RUN,
    Draft,
    Ledger,
    Scope,
    close_looks,
)

from .make import INPUTS, PERSON, key, look, new_ledger, put_series, start, trial, trial_body


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return new_ledger(tmp_path)


def test_an_empty_ledger_has_no_trials(ledger: Ledger) -> None:
    found = ledger.trials()
    assert (found.n, found.effective_n, found.keys) == (0, 0, ())
    assert math.isnan(found.sharpe_variance)
    assert found.series().matrix.shape == (0, 0)


def test_a_repeat_adds_no_trial(ledger: Ledger) -> None:
    for _ in range(3):
        trial(ledger, "f1")
    assert ledger.trials().n == 1


def test_the_same_key_in_two_runs_counts_once(ledger: Ledger) -> None:
    for run in ("one", "two"):
        start(ledger, run)
        trial(ledger, "f1", run=run)
        ledger.run(run).stop("finished")
    assert ledger.trials().n == 1
    assert ledger.trials(Scope(runs=("two",))).keys == (key("f1"),)


def test_another_configuration_is_another_trial(ledger: Ledger) -> None:
    trial(ledger, "f1")
    trial(ledger, "f1", config="c2")
    assert ledger.trials().keys == (key("f1"), key("f1", "c2"))


def test_controls_and_other_records_do_not_count(ledger: Ledger) -> None:
    trial(ledger, "f1", control=True)
    ledger.append("gate_verdict", {"gate": "candidate", "passed": False})
    ledger.append("refusal", {"reason": "x", "message": "y"})
    assert ledger.trials().n == 0


def test_a_key_that_was_a_control_first_counts_when_it_is_a_trial(ledger: Ledger) -> None:
    trial(ledger, "f1", control=True)
    trial(ledger, "f1")
    assert ledger.trials().n == 1


def test_a_control_accounts_for_its_look_and_counts_in_no_n(ledger: Ledger) -> None:
    trial(ledger, "f1")
    look(ledger, "f1", period="eval", key=key("f1", "later"))
    with pytest.raises(Refusal) as error:
        ledger.trials()
    assert error.value.reason is INCOMPLETE_SCOPE
    trial(ledger, "f1", config="later", control=True)
    assert ledger.trials().n == 1


def test_a_closed_run_has_recorded_its_controls(ledger: Ledger) -> None:
    start(ledger, "killed", planned=[key("f1"), key("f2")])
    trial(ledger, "f1", run="killed", control=True)
    assert ledger.run("killed").close().body["unrecorded"] == 1


def test_an_open_run_makes_the_scope_incomplete_except_to_itself(ledger: Ledger) -> None:
    start(ledger, "going")
    trial(ledger, "f1", run="going")
    with pytest.raises(Refusal) as error:
        ledger.trials()
    assert error.value.reason is INCOMPLETE_SCOPE
    assert error.value.details["open_runs"] == ["going"]
    assert "going" in error.value.message
    assert ledger.trials(within="going").n == 1
    start(ledger, "other")
    with pytest.raises(Refusal) as error:
        ledger.trials(within="going")
    assert error.value.details["open_runs"] == ["other"]


def test_a_stopped_run_is_complete_and_a_resumed_one_is_not(ledger: Ledger) -> None:
    start(ledger, "r")
    ledger.run("r").stop("stopped", unrecorded=2)
    assert ledger.trials().n == 2
    ledger.run("r").resume(PERSON, "c1", INPUTS)
    with pytest.raises(Refusal):
        ledger.trials()
    ledger.run("r").stop("finished")
    assert ledger.trials().n == 0


def test_an_open_run_matters_only_where_it_may_have_made_trials(ledger: Ledger) -> None:
    start(ledger, "other-data", inputs={"data:us": "x"})
    start(ledger, "other-desk", desk="reports", inputs={"data:us": "x"})
    assert ledger.trials(Scope(data="cn")).n == 0
    with pytest.raises(Refusal) as error:
        ledger.trials(Scope(data="us", desk="reports"))
    assert error.value.details["open_runs"] == ["other-desk"]
    start(ledger, "names-no-data", inputs={"prompts": "x"})
    with pytest.raises(Refusal) as error:
        ledger.trials(Scope(data="cn"))
    assert error.value.details["open_runs"] == ["names-no-data"]


def test_planned_trials_of_an_abandoned_run_count(ledger: Ledger) -> None:
    start(ledger, "killed", planned=[key("f1"), key("f2"), key("f3"), key("f1")])
    trial(ledger, "f1", run="killed")
    stop = ledger.run("killed").close()
    assert stop.body == {"reason": "abandoned", "unrecorded": 2}
    found = ledger.trials()
    assert (found.n, found.unrecorded, found.keys) == (3, 2, (key("f1"),))
    assert found.effective_n == 3


def test_unrecorded_trials_belong_to_the_scope_of_their_run(ledger: Ledger) -> None:
    start(ledger, "r")
    ledger.run("r").stop("failed", unrecorded=4)
    assert ledger.trials(Scope(data="cn")).n == 4
    assert ledger.trials(Scope(data="us")).n == 0
    assert ledger.trials(Scope(desk="reports")).n == 0
    assert ledger.trials(Scope(runs=("r",))).n == 4


def test_scopes_choose_by_data_desk_and_run(ledger: Ledger) -> None:
    trial(ledger, "f1")
    trial(ledger, "f2", data="us")
    trial(ledger, "f3", desk="reports")
    trial(ledger, "f4", desk=None)
    start(ledger, "r")
    trial(ledger, "f5", run="r")
    ledger.run("r").stop("finished")
    assert {k.fingerprint for k in ledger.trials(Scope(data="cn")).keys} == {"f1", "f3", "f4", "f5"}
    assert {k.fingerprint for k in ledger.trials(Scope(desk="reports")).keys} == {"f3", "f4"}
    assert {k.fingerprint for k in ledger.trials(Scope(runs=("r",))).keys} == {"f5"}
    assert ledger.trials().n == 5


def test_a_scope_of_an_unknown_run_is_refused(ledger: Ledger) -> None:
    with pytest.raises(Refusal) as error:
        ledger.trials(Scope(runs=("typo",)))
    assert error.value.reason is UNKNOWN_RUN


def test_a_torn_tail_is_refused_until_it_is_recovered(ledger: Ledger) -> None:
    trial(ledger, "f1")
    with open(ledger.folder / "ledger.jsonl", "ab") as file:
        file.write(b'{"batch":[0,1],"body":{"half')
    with pytest.raises(Refusal) as error:
        Ledger.open(ledger.folder).trials()
    assert error.value.reason is INCOMPLETE_SCOPE
    assert error.value.details["torn_tail"] == 28
    trial(ledger, "f2")
    assert Ledger.open(ledger.folder).trials().n == 2


def test_a_look_without_a_trial_is_refused_until_it_is_recorded(ledger: Ledger) -> None:
    charged = look(ledger, "f1")
    with pytest.raises(Refusal) as error:
        ledger.trials()
    assert error.value.details["unrecorded"] == [
        {"line": charged.line, "fingerprint": "f1", "config_hash": "c1"}
    ]
    trial(ledger, "f1")
    assert ledger.trials().n == 1


def test_looks_that_no_trial_will_follow_are_closed_as_trials(ledger: Ledger) -> None:
    for name in ("f1", "f1", "f2"):
        look(ledger, name)
    assert len(close_looks(ledger)) == 2
    found = ledger.trials(Scope(data="cn", desk="anyone"))
    assert found.n == 2
    assert np.isnan(found.sharpes).all()
    assert close_looks(ledger) == ()


def test_a_look_of_an_abandoned_run_counts_as_unrecorded(ledger: Ledger) -> None:
    start(ledger, "killed", planned=[key("f1")])
    look(ledger, "f1", run="killed")
    look(ledger, "f2", run="killed")
    look(ledger, "f3", run="killed")
    trial(ledger, "f3", run="killed")
    assert ledger.run("killed").close().body["unrecorded"] == 2
    assert ledger.trials().n == 3


def test_a_look_of_a_finished_run_without_a_trial_is_a_gap(ledger: Ledger) -> None:
    start(ledger, "r")
    look(ledger, "f1", run="r")
    assert ledger.trials(within="r").n == 0
    ledger.run("r").stop("finished")
    with pytest.raises(Refusal) as error:
        ledger.trials()
    assert error.value.reason is INCOMPLETE_SCOPE


def test_the_variance_is_the_sample_variance_of_the_known_ratios(ledger: Ledger) -> None:
    for name, sharpe in (("a", 0.01), ("b", 0.03), ("c", 0.08), ("d", None), ("a", 0.5)):
        trial(ledger, name, sharpe=sharpe)
    found = ledger.trials()
    # mean 0.04; squares of -0.03, -0.01, 0.04 sum to 0.0026; over 2
    assert found.sharpe_variance == pytest.approx(0.0013)
    assert found.n == 4
    assert found.sharpes[:3].tolist() == [0.01, 0.03, 0.08]
    assert math.isnan(found.sharpes[3])


def test_a_ratio_recorded_later_fills_a_missing_one(ledger: Ledger) -> None:
    trial(ledger, "a", sharpe=float("nan"))
    trial(ledger, "a", sharpe=0.02)
    assert ledger.trials().sharpes.tolist() == [0.02]


def test_the_matrix_holds_the_common_days(ledger: Ledger) -> None:
    values = np.random.default_rng(0).standard_normal((60, 2))
    trial(ledger, "a", series=put_series(ledger, values[:, 0]))
    trial(ledger, "none")
    trial(ledger, "b", series=put_series(ledger, values[:40, 1], "2020-01-11"))
    found = ledger.trials().series()
    assert found.keys == (key("a"), key("b"))
    assert found.days[0] == np.datetime64("2020-01-11")
    assert np.array_equal(found.matrix, np.column_stack([values[10:50, 0], values[:40, 1]]))


def test_the_effective_number_counts_copies_once_and_the_rest_one_each(ledger: Ledger) -> None:
    rng = np.random.default_rng(1)
    factors = rng.standard_normal((400, 4))
    drafts = []
    for block in range(4):
        for member in range(6):
            noisy = factors[:, block] + 0.2 * rng.standard_normal(400)
            drafts.append(trial_body(f"b{block}m{member}", series=put_series(ledger, noisy)))
    drafts += [trial_body(f"copy{i}", series=drafts[0]["series"]) for i in range(3)]
    drafts += [trial_body(f"none{i}") for i in range(2)]
    ledger.append_many([Draft("trial", body) for body in drafts])
    start(ledger, "r")
    ledger.run("r").stop("failed", unrecorded=5)
    found = ledger.trials()
    assert found.n == 24 + 3 + 2 + 5
    assert found.effective_n == 4 + 2 + 5


def test_series_beyond_the_bound_count_one_each(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.ledger._trials.LARGEST", 10)
    values = np.random.default_rng(2).standard_normal(100)
    for i in range(14):
        trial(ledger, f"f{i}", series=put_series(ledger, values * (i + 1)))
    assert ledger.trials().effective_n == 1 + 4
