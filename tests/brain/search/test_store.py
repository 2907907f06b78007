from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.brain.search.results import result

from assay.brain import Check, Failure, Place
from assay.brain.search import ResultStore, set_aside
from assay.errors import DataError

CHECKS = (Check.model_validate({"name": "IS_LADDER_SHARPE", "result": "PASS", "year": 3, "limit": 1.5}),)


def test_what_is_kept_is_read_as_it_was(tmp_path: Path) -> None:
    first = result("rank(close)", checks=CHECKS, settings={"decay": 3, "region": "EUR"}, long_count=7)
    second = result("rank(open)", job="j0002", failure="Unexpected end of input")
    with ResultStore(tmp_path / "brain" / "results.sqlite") as store:
        kept = store.put([first, second], platform="P", run="r1", agent="a")
    with ResultStore(store.path) as again:
        assert again.rows() == kept
        assert [row.result for row in again.rows(platform="P", run="r1")] == [first, second]
        assert again.rows(platform="Q") == ()
        assert again.get(first.proposal.request, platform="P") == kept[0]
        assert again.get(first.proposal.request, platform="Q") is None


def test_a_place_of_a_failure_is_kept(tmp_path: Path) -> None:
    failed = replace(result(failure="no"), failure=Failure("no", Place(line=2, start=1, end=4)))
    with ResultStore(tmp_path / "r.sqlite") as store:
        store.put([failed], platform="P")
        assert store.rows()[0].result == failed


def test_equal_expressions_with_equal_settings_are_one_row_on_each_platform(tmp_path: Path) -> None:
    with ResultStore(tmp_path / "r.sqlite") as store:
        store.put([result("close + open"), result("open + close")], platform="P")
        store.put([result("close + open")], platform="Q")
        store.put([result("close + open", settings={"decay": 9})], platform="P")
        assert [(row.platform, row.request.settings.decay) for row in store.rows()] == [
            ("P", 5),
            ("Q", 5),
            ("P", 9),
        ]


def test_other_data_of_the_same_name_has_results_of_its_own(tmp_path: Path) -> None:
    with ResultStore(tmp_path / "r.sqlite") as store:
        store.put([result(sharpe=1.0)], platform="P", digest="first")
        store.put([result(sharpe=2.0)], platform="P", digest="second")
        request = result().proposal.request
        found = [store.get(request, platform="P", digest=d) for d in ("first", "second", "")]
    assert [None if item is None else item.result.sharpe for item in found] == [1.0, 2.0, None]


def test_answers_to_checks_are_brought_up_to_date_and_a_failure_replaces_nothing(tmp_path: Path) -> None:
    pending = (Check(name="SELF_CORRELATION", result="PENDING"),)
    answered = (Check(name="SELF_CORRELATION", result="PASS", value=0.3),)
    with ResultStore(tmp_path / "r.sqlite") as store:
        store.put([result(checks=pending)], platform="P", run="first")
        store.put([result(checks=answered)], platform="P", run="second")
        store.put([result(failure="an outage taken for a verdict")], platform="P")
        (row,) = store.rows()
    assert row.result.checks == answered
    assert row.result.status == "completed"
    assert row.run == "first"


def test_a_batch_is_kept_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    with ResultStore(tmp_path / "r.sqlite") as store:
        store.put([result("rank(close)")], platform="P")
        broken = result("rank(open)", job=None)  # type: ignore[arg-type]
        with pytest.raises(sqlite3.IntegrityError):
            store.put([result("rank(volume)"), broken], platform="P")
        assert len(store.rows()) == 1
        store.put([result("rank(volume)")], platform="P")
        assert len(store.rows()) == 2


def test_a_summary_counts_by_platform(tmp_path: Path) -> None:
    with ResultStore(tmp_path / "r.sqlite") as store:
        assert store.summary() == ()
        store.put([result(sharpe=1.1), result("rank(open)", failure="no")], platform="P", run="r1")
        store.put([result(sharpe=-2.0)], platform="Q")
        p, q = store.summary()
    assert (p.platform, p.total, p.completed, p.failed, p.runs, p.best_sharpe) == ("P", 2, 1, 1, 1, 1.1)
    assert (q.platform, q.total, q.best_sharpe) == ("Q", 1, -2.0)


def test_threads_may_write_and_sum_up_at_once(tmp_path: Path) -> None:
    with ResultStore(tmp_path / "r.sqlite") as store:

        def work(number: int) -> int:
            store.put([result(f"ts_mean(close, {number + 2})")], platform="P")
            return store.summary()[0].total

        with ThreadPoolExecutor(8) as pool:
            counts = list(pool.map(work, range(40), timeout=60))
        assert max(counts) == 40


WRITER = """
import sys
from assay.brain import JobResult, Proposal, SimulationRequest, Stats
from assay.brain.search import ResultStore
from pathlib import Path
for number in range(10):
    proposal = Proposal(SimulationRequest(regular=f"ts_mean(close, {number + 2 + 100 * int(sys.argv[2])})"))
    with ResultStore(Path(sys.argv[1])) as store:
        store.put([JobResult("j1", proposal, "completed", stats=Stats(sharpe=1.0))], platform="P")
        store.summary()
"""


def test_processes_may_write_at_once_from_the_first_on(tmp_path: Path) -> None:
    path = str(tmp_path / "r.sqlite")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, str(n)], stderr=subprocess.PIPE)
        for n in range(4)
    ]
    assert [writer.communicate(timeout=120)[1] for writer in writers] == [b""] * 4
    with ResultStore(Path(path)) as store:
        assert len(store.rows()) == 40


def test_a_damaged_file_is_named_and_left_alone_until_it_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    path.write_bytes(b"no database at all, only words" * 50)
    before = path.read_bytes()
    with pytest.raises(DataError, match="damaged") as caught:
        ResultStore(path)
    assert caught.value.where == str(path)
    assert path.read_bytes() == before
    aside = set_aside(path)
    assert aside is not None
    assert aside.read_bytes() == before
    with ResultStore(path) as store:
        store.put([result()], platform="P")
    assert set_aside(path) == tmp_path / "results.aside-2.sqlite"
    assert aside.read_bytes() == before
    assert set_aside(path) is None


def test_another_programs_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(DataError, match="another program"):
        ResultStore(path)


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    with ResultStore(tmp_path / "brain" / "results.sqlite") as store:
        assert store.rows() == ()
    assert not (tmp_path / "brain").exists()
