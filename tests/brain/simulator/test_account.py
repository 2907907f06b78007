from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.brain import SimulationRequest, SimulationSettings
from assay.brain.simulator import Account, CodeError, Outcome
from assay.brain.simulator import simulate as run_once
from assay.errors import AssayError, DataError, Refusal

from .wires import CODE, LOGIN, SETTINGS, HandClock, Talk, market, simulation

CODES = [f"rank(ts_delta(close, {days}))" for days in (2, 3, 5, 8)]
GOOD = "-rank(ts_corr(close, volume, 20))"


@pytest.fixture
def opened() -> Iterator[Any]:
    """Opens accounts, and closes them."""
    running: list[Account] = []

    def act(folder: Path | None = None, **options: Any) -> Talk:
        level = options.pop("level", "user")
        clock = options.pop("clock", None) or HandClock()
        account = Account(market(level=level), login=LOGIN, clock=clock, folder=folder, **options)
        running.append(account)
        made = Talk(account)
        made.sign_in()
        return made

    yield act
    for account in running:
        account.close()


def whole(desk: Talk) -> list[bytes]:
    """Every byte that is told of some simulations and their alphas."""
    paths = []
    for code in CODES:
        paths.append(desk.start(code))
        desk.account.clock.pass_by(1)
        desk.finish(paths[-1])
    found = [desk.get(path).body for path in paths]
    names = [json.loads(body)["alpha"] for body in found]
    return found + [
        desk.get(f"/alphas/{name}{rest}").body for name in names for rest in ("", "/recordsets/pnl")
    ]


class TestRepeatability:
    def test_equal_requests_give_equal_bytes_however_they_are_computed(
        self, opened: Any, tmp_path: Path
    ) -> None:
        first = whole(opened())
        assert whole(opened(workers=2)) == first
        assert whole(opened(tmp_path / "account")) == first

    def test_the_order_of_asking_changes_nothing(self, opened: Any) -> None:
        def bodies(order: list[int]) -> list[bytes]:
            desk = opened()
            paths = [desk.start(code) for code in CODES[:3]]
            desk.account.clock.pass_by(1)
            for place in order:
                desk.get(paths[place])
            return [desk.get(path).body for path in paths]

        assert bodies([0, 1, 2]) == bodies([2, 0, 1])

    def test_another_seed_gives_other_ids(self, opened: Any) -> None:
        one, two = (opened(seed=seed).run() for seed in (0, 1))
        assert one["id"] != two["id"]
        assert one["alpha"] != two["alpha"]

    def test_what_is_told_is_what_was_computed(self, opened: Any) -> None:
        outcome = run_once(
            market(), SimulationRequest(regular=CODE, settings=SimulationSettings.model_validate(SETTINGS))
        )
        assert isinstance(outcome, Outcome)
        desk = opened()
        name = desk.run()["alpha"]
        told = desk.get(f"/alphas/{name}").json["is"]
        assert told["sharpe"] == outcome.stats.sharpe
        assert np.array_equal(desk.account.alphas.daily(name).pnl, outcome.daily.pnl)
        records = desk.get(f"/alphas/{name}/recordsets/daily-pnl").json["records"]
        assert [tuple(row) for row in records] == list(outcome.recordsets["daily-pnl"].records)


class TestWorkers:
    def test_they_work_ahead_and_free_slots(self, opened: Any) -> None:
        desk = opened(workers=2, patience=60.0)
        paths = [desk.start(code) for code in CODES[:3]]
        desk.account.clock.pass_by(1)
        assert {desk.get(path).json["status"] for path in paths} == {"COMPLETE"}
        assert desk.post("/simulations", simulation()).status == 201

    def test_without_patience_progress_is_told(self, opened: Any) -> None:
        desk = opened(workers=1, patience=0.0)
        paths = [desk.start(code) for code in CODES[:3]]
        desk.account.clock.pass_by(1)
        seen = set()
        while any(not (reply := desk.get(path)).is_final for path in paths):
            seen.add(reply.json["progress"])
        assert seen <= {0.0, 0.5}


class TestFailures:
    def test_a_simulation_that_breaks_the_simulator_fails_alone(
        self, opened: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def breaking(of: Any, request: SimulationRequest) -> Outcome | CodeError:
            if "equity" in request.regular:
                raise MemoryError("no room")
            return run_once(of, request)

        monkeypatch.setattr("assay.brain.simulator._account.simulate", breaking)
        desk = opened()
        broken, fine = desk.run("rank(equity)"), desk.run()
        assert (broken["status"], "alpha" in broken) == ("FAIL", False)
        assert fine["status"] == "COMPLETE"
        assert "no room" in caplog.text
        assert "no room" not in broken["message"]

    def test_a_fault_of_ours_is_a_500_and_the_next_request_is_answered(
        self, opened: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        desk = opened()
        with monkeypatch.context() as patch:
            patch.setattr(desk.account.alphas, "all", lambda: 1 / 0)
            reply = desk.get("/users/self/alphas")
        assert (reply.status, reply.json) == (500, {"detail": "Internal server error."})
        assert "ZeroDivisionError" in caplog.text
        assert desk.get("/users/self/alphas").status == 200


class FullDisk:
    """A file that takes no more than a number of writes until there is room again."""

    def __init__(self, desk: Talk, *, after: int) -> None:
        self._store = desk.account._store
        self._file, self.left = self._store._file, after
        self._store._file = self

    def __enter__(self) -> Any:
        return self._file.__enter__()

    def __exit__(self, *about: Any) -> Any:
        return self._file.__exit__(*about)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def executemany(self, *given: Any) -> Any:
        if self.left <= 0:
            raise sqlite3.OperationalError("database or disk is full")
        self.left -= 1
        return self._file.executemany(*given)


class TestFullDisk:
    @pytest.mark.parametrize("workers", [0, 2])
    def test_a_simulation_whose_result_cannot_be_kept_ends_once_there_is_room(
        self, opened: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, workers: int
    ) -> None:
        desk = opened(tmp_path, workers=workers, patience=60.0)
        disk = FullDisk(desk, after=1)
        path = desk.start()
        desk.account.clock.pass_by(1)
        for _ in range(2):
            reply = desk.get(path)
            assert reply.status == 503
            assert "cannot be kept: database or disk is full (make room" in reply.json["detail"]
        # what is not kept is not told
        assert desk.get("/users/self/alphas").json["count"] == 0
        assert "Traceback" not in caplog.text
        disk.left = 1000
        while not (reply := desk.get(path)).is_final or reply.status != 200:
            assert reply.status in (200, 503)
        assert reply.json["status"] == "COMPLETE"
        desk.account.close()
        assert opened(tmp_path).get(path).json == reply.json

    def test_what_cannot_be_posted_takes_no_slot_and_no_quota(self, opened: Any, tmp_path: Path) -> None:
        desk = opened(tmp_path)
        disk = FullDisk(desk, after=0)
        for _ in range(5):
            assert desk.post("/simulations", simulation()).status == 503
        disk.left = 1000
        assert desk.run()["status"] == "COMPLETE"
        assert desk.account.simulations.quota().remaining == 4999

    def test_a_submission_that_cannot_be_kept_goes_on(self, opened: Any, tmp_path: Path) -> None:
        desk = opened(tmp_path)
        name = desk.run(GOOD)["alpha"]
        assert desk.post(f"/alphas/{name}/submit").status == 201
        desk.account.clock.pass_by(1)
        disk = FullDisk(desk, after=0)
        assert desk.get(f"/alphas/{name}/submit").status == 503
        disk.left = 1000
        assert desk.get(f"/alphas/{name}/submit").status == 200
        assert desk.get(f"/alphas/{name}").json["stage"] == "OS"

    def test_a_file_that_cannot_be_opened_is_no_damaged_account(self, tmp_path: Path) -> None:
        (tmp_path / "account.sqlite").mkdir()
        with pytest.raises(AssayError, match="cannot be kept") as caught:
            Account(market(), login=LOGIN, folder=tmp_path)
        assert not isinstance(caught.value, DataError)


class TestKeeping:
    def test_all_of_it_comes_back(self, opened: Any, tmp_path: Path) -> None:
        desk = opened(tmp_path)
        path = desk.start(GOOD)
        name = desk.finish(path).json["alpha"]
        desk.post(f"/alphas/{name}/submit")
        desk.account.clock.pass_by(1)
        desk.post(f"/alphas/{name}/submit")
        desk.send("PATCH", f"/alphas/{name}", {"name": "mine"})
        asked = (
            path,
            f"/alphas/{name}",
            f"/alphas/{name}/recordsets/pnl",
            "/users/self/alphas",
            "/users/self",
        )
        before = [desk.get(one).body for one in asked]
        desk.account.close()
        again = opened(tmp_path)
        assert [again.get(one).body for one in asked] == before
        # what was submitted is what the next one is held against
        other = again.run("-zscore(ts_corr(close, volume, 20))")["alpha"]
        assert again.get(f"/alphas/{other}/correlations/self").json["max"] > 0.7

    def test_ids_go_on_where_they_were(self, opened: Any, tmp_path: Path) -> None:
        desk = opened()
        names = [desk.run(code)["alpha"] for code in CODES[:2]]
        kept = opened(tmp_path)
        first = kept.run(CODES[0])["alpha"]
        kept.account.close()
        second = opened(tmp_path).run(CODES[1])["alpha"]
        assert [first, second] == names

    def test_what_was_not_computed_is_computed_when_it_is_opened_again(
        self, opened: Any, tmp_path: Path
    ) -> None:
        desk = opened(tmp_path)
        path = desk.start()
        desk.account.close()
        again = opened(tmp_path)
        assert again.finish(path).json["status"] == "COMPLETE"
        assert again.account.simulations.quota().remaining == 4999

    def test_a_clock_that_was_ahead_stops_nothing(self, opened: Any, tmp_path: Path) -> None:
        desk = opened(tmp_path)
        desk.account.clock.pass_by(5 * 3600)
        desk.sign_in()
        paths = [desk.start() for _ in range(3)]
        desk.account.close()
        again = opened(tmp_path)
        assert [again.get(path).json["status"] for path in paths] == ["COMPLETE"] * 3
        newest = again.run(CODES[0])["alpha"]
        assert again.get("/users/self/alphas?order=-dateCreated&limit=1").json["results"][0]["id"] == newest

    def test_another_process_is_refused(self, opened: Any, tmp_path: Path) -> None:
        desk = opened(tmp_path)
        with pytest.raises(Refusal, match="another process works on this account"):
            opened(tmp_path)
        assert desk.run()["status"] == "COMPLETE"
        desk.account.close()
        opened(tmp_path)

    @pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\xff" * 4096])
    def test_a_file_that_is_no_account(self, opened: Any, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "account.sqlite").write_bytes(content)
        with pytest.raises(DataError, match="account"):
            opened(tmp_path)
        # the folder is free again
        (tmp_path / "account.sqlite").unlink()
        opened(tmp_path)

    def test_a_record_that_cannot_be_read(self, opened: Any, tmp_path: Path) -> None:
        opened(tmp_path).account.close()
        with sqlite3.connect(tmp_path / "account.sqlite") as file:
            file.execute("insert into records values ('alpha', 'A', ?)", (zlib.compress(b"{}")[:-3],))
        file.close()
        with pytest.raises(DataError, match="account"):
            opened(tmp_path)

    @pytest.mark.parametrize("kind", ["daily", "recordsets"])
    def test_series_that_cannot_be_read_are_said_and_the_rest_is_served(
        self, opened: Any, tmp_path: Path, kind: str
    ) -> None:
        desk = opened(tmp_path)
        name = desk.run(GOOD)["alpha"]
        desk.account.close()
        with sqlite3.connect(tmp_path / "account.sqlite") as file:
            packed = zlib.compress(b'{"pnl": {"floats": "?"}}')
            file.execute("update records set document = ? where kind = ?", (packed, kind))
        file.close()
        again = opened(tmp_path)
        rest = "recordsets" if kind == "recordsets" else "correlations/self"
        reply = again.get(f"/alphas/{name}/{rest}")
        assert (reply.status, "cannot be read" in reply.json["detail"]) == (503, True)
        assert again.get(f"/alphas/{name}").status == 200

    def test_pages_that_were_overwritten_are_a_damaged_account(self, opened: Any, tmp_path: Path) -> None:
        desk = opened(tmp_path)
        for code in CODES:
            desk.run(code)
        desk.account.close()
        file = tmp_path / "account.sqlite"
        content = bytearray(file.read_bytes())
        content[4096:] = b"\xa5" * (len(content) - 4096)
        file.write_bytes(content)
        with pytest.raises(DataError, match="cannot be read"):
            opened(tmp_path)

    def test_a_kill_leaves_what_was_answered(self, opened: Any, tmp_path: Path) -> None:
        script = """
import sys
from pathlib import Path
from assay.brain import SimulationRequest
from assay.brain.simulator import Account, Market
from assay.config import BrainSimulatorSettings
from assay.market import simulate
settings = BrainSimulatorSettings(held_days=100, retry_after=0)
panel = simulate(7, instruments=60, days=700)
account = Account(Market.of(panel, None, settings), folder=Path(sys.argv[1]))
for days in range(2, 1000):
    job = account.simulations.post([SimulationRequest(regular=f"rank(ts_delta(close, {days}))")])
    done = account.simulations.finished(job.id)
    print(job.id, done.alpha, flush=True)
"""
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        told = [process.stdout.readline().split() for _ in range(5)]
        os.kill(process.pid, signal.SIGKILL)
        told += [line.split() for line in process.stdout.read().splitlines() if len(line.split()) == 2]
        process.stdout.close()
        process.wait()
        desk = opened(tmp_path)
        for job, alpha in told:
            assert desk.get(f"/simulations/{job}").json["alpha"] == alpha
            assert desk.get(f"/alphas/{alpha}/recordsets/pnl").status == 200
        assert desk.get("/users/self/alphas").json["count"] >= len(told)
