from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import Refusal
from assay.ledger import LOOK_BUDGET_EXHAUSTED, Ledger, LooksUsed

from .make import look, new_ledger, start


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return new_ledger(tmp_path)


def test_score_is_charged_by_call(ledger: Ledger) -> None:
    used = [look(ledger, "f1").used for _ in range(3)]
    assert used == [1, 2, 3]
    assert ledger.looks("cn") == {"score": LooksUsed(3, 3)}


def test_eval_is_charged_once_for_each_key(ledger: Ledger) -> None:
    first = look(ledger, "f1", period="eval")
    again = look(ledger, "f1", period="eval")
    other = look(ledger, "f2", period="eval")
    assert (first.charged, again.charged, other.charged) == (True, False, True)
    assert again.line == first.line
    assert ledger.looks("cn")["eval"].used == 2
    assert len(list(ledger.entries(kind="look"))) == 2


def test_an_exhausted_budget_is_refused_and_recorded(ledger: Ledger) -> None:
    start(ledger, "r")
    look(ledger, "f1", budget=1)
    with pytest.raises(Refusal) as error:
        look(ledger, "f2", budget=1, run="r")
    assert error.value.reason is LOOK_BUDGET_EXHAUSTED
    assert error.value.details == {"period": "score", "data": "cn", "used": 1, "budget": 1}
    (refusal,) = ledger.entries(kind="refusal")
    assert refusal.run == "r"
    assert refusal.body["reason"] == "look_budget_exhausted"
    assert len(list(ledger.entries(kind="look"))) == 1


def test_a_paid_eval_look_stays_open_when_the_budget_is_gone(ledger: Ledger) -> None:
    look(ledger, "f1", period="eval", budget=1)
    assert look(ledger, "f1", period="eval", budget=1).charged is False
    with pytest.raises(Refusal):
        look(ledger, "f2", period="eval", budget=1)


def test_no_budget_means_no_look(ledger: Ledger) -> None:
    with pytest.raises(Refusal):
        look(ledger, budget=0)
    assert ledger.looks("cn") == {}


def test_periods_and_data_sets_have_budgets_of_their_own(ledger: Ledger) -> None:
    look(ledger, budget=1)
    look(ledger, budget=1, period="eval")
    look(ledger, budget=1, data="us")
    assert ledger.looks("cn") == {"score": LooksUsed(1, 1), "eval": LooksUsed(1, 1)}
    assert ledger.looks("us") == {"score": LooksUsed(1, 1)}
    assert ledger.looks("none") == {}


def test_a_raised_budget_counts_what_was_used(ledger: Ledger) -> None:
    look(ledger, budget=1)
    assert look(ledger, budget=2).used == 2
    assert ledger.looks("cn") == {"score": LooksUsed(2, 2)}


def test_a_look_names_the_dates_and_a_refusal_does_not(ledger: Ledger) -> None:
    look(ledger, budget=1)
    (entry,) = ledger.entries(kind="look")
    assert (entry.body["start"], entry.body["end"]) == ("2022-01-03", "2022-12-30")
    with pytest.raises(Refusal) as error:
        look(ledger, budget=1)
    (refusal,) = ledger.entries(kind="refusal")
    for text in (str(refusal.body), str(error.value.as_dict())):
        assert "2022" not in text


CHARGE = """
import sys
from datetime import date
from assay.base import Operator
from assay.errors import Refusal
from assay.ledger import LOOK_BUDGET_EXHAUSTED, Ledger, TrialKey
ledger = Ledger.open(sys.argv[1], wait=120.0)  # a busy machine is not what is tested
for number in range(10):
    key = TrialKey(f"{sys.argv[2]}-{number}", "c")
    dates = date(2022, 1, 3), date(2022, 12, 30)
    try:
        ledger.charge_look("score", dates, data="cn", budget=25, key=key, operator=Operator.human("ann"))
    except Refusal as error:
        if error.reason is not LOOK_BUDGET_EXHAUSTED:
            raise
"""


def test_four_processes_never_exceed_a_budget(ledger: Ledger) -> None:
    # programs of their own: a spawned worker would have to import this module, which pytest alone can
    workers = [
        subprocess.Popen([sys.executable, "-c", CHARGE, str(ledger.folder), f"p{i}"]) for i in range(4)
    ]
    for worker in workers:
        worker.wait()
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    assert len(list(ledger.entries(kind="look"))) == 25
    assert len(list(ledger.entries(kind="refusal"))) == 15
    assert ledger.looks("cn") == {"score": LooksUsed(25, 25)}
    ledger.verify()
