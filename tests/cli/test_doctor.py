from __future__ import annotations

import json
import os
import shutil
import threading
import tomllib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.brain.agent import KnowledgeBase, KnowledgeEntry
from assay.cli import _doctor_checks

from .recorded import damage, ledger_of, plan_across_a_holiday, tree

Run = Callable[..., Any]
CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith(("KEY", "TOKEN", "SECRET")):
            monkeypatch.delenv(name)


def by_area(done: Any) -> dict[str, dict[str, Any]]:
    return {finding["area"]: finding for finding in done.data["findings"]}


def problems(done: Any) -> list[str]:
    return [item["area"] for item in done.data["findings"] if item["outcome"] == "problem"]


def test_a_workspace_in_order(run: Run, desk: Path) -> None:
    ledger_of(desk).append("refusal", {"reason": "x", "message": "y"})
    done = run("doctor", "--json")
    assert done.code == 0, done.out
    assert done.data["problems"] == 0
    found = by_area(done)
    assert found["data small"]["outcome"] == "good"
    assert "400 dates x 60 instruments" in found["data small"]["message"]
    assert found["periods small"]["message"] == "search, score, eval fit the calendar of the data"
    assert found["ledger"]["message"] == "2 records, the chain is whole"
    assert metadata.version("numpy") in found["packages"]["message"]
    assert found["keys"]["message"] == "none is set"
    text = run("doctor", "--no-network")
    assert text.code == 0
    assert "everything is in order" in text.out
    assert "good     python: 3." in text.out


def test_a_ledger_that_was_taken_away_is_not_made_anew(run: Run, desk: Path) -> None:
    ledger_of(desk).run("first").start("judge", Operator.human("ann"), "c1", {"data:small": "a1"})
    (desk / "runs" / "first").mkdir(parents=True)
    (desk / "runs" / "first" / "state.json").write_text("{}")
    (desk / "ledger").rename(desk / "away")
    for arguments in (
        ("judge", "close", "--data", "small"),
        ("agent", "run", "x"),
        ("ledger", "count"),
        ("init", "."),
    ):
        done = run(*arguments)
        assert done.code == 2, arguments
        assert "has runs (first) and no ledger" in done.err, arguments
    done = run("doctor", "--no-network", "--json")
    assert done.code == 1
    assert problems(done) == ["ledger"]
    assert "from a copy" in by_area(done)["ledger"]["fix"]
    assert not (desk / "ledger").exists()


def test_nothing_is_judged_on_a_ledger_that_was_edited(run: Run, desk: Path) -> None:
    assert run("judge", "close", "--data", "small").code == 0
    damage(desk, 2)
    before = (desk / "ledger" / "ledger.jsonl").read_bytes()
    for arguments in (("judge", "open", "--data", "small"), ("ledger", "count"), ("agent", "list")):
        done = run(*arguments, "--json")
        assert (done.code, done.data["error"], done.data["where"]) == (2, "ledger_damaged", "line 2"), (
            arguments
        )
    assert (desk / "ledger" / "ledger.jsonl").read_bytes() == before


def test_nothing_is_written(run: Run, desk: Path, market: Path) -> None:
    ledger = ledger_of(desk)
    ledger.append("refusal", {"reason": "x", "message": "y"})
    with ledger.index():
        pass
    (desk / "ledger" / "index.sqlite").unlink()
    before, data = tree(desk), tree(market)
    assert run("doctor").code == 0
    damage(desk, 2)
    damaged = tree(desk)
    assert run("doctor").code == 1
    assert tree(desk) == damaged
    assert set(damaged) == set(before)
    assert tree(market) == data


def test_outside_a_workspace(run: Run, tmp_path: Path) -> None:
    done = run("doctor", "--json")
    assert done.code == 0
    assert by_area(done)["workspace"]["outcome"] == "note"
    assert list(tmp_path.iterdir()) == []


def test_every_finding_that_is_not_good_says_what_to_do(run: Run, desk: Path) -> None:
    config = desk / "assay.toml"
    config.write_text(
        config.read_text(encoding="utf-8") + "\n[data.absent]\nhorizons = [1]\n", encoding="utf-8"
    )
    (desk / ".env").write_text("A_KEY=x\n", encoding="utf-8")
    (desk / ".env").chmod(0o644)
    done = run("doctor", "--json")
    notes = [item for item in done.data["findings"] if item["outcome"] != "good"]
    assert {"data absent", "ledger", "keys", "models"} <= {item["area"] for item in notes}
    assert all(item["fix"] for item in notes)


def test_settings_that_are_not_valid(run: Run, desk: Path) -> None:
    (desk / "assay.toml").write_text("[defaults]\nhorizon = [1]\nlag = 7\n", encoding="utf-8")
    done = run("doctor", "--json")
    assert done.code == 1
    told = [item["message"] for item in done.data["findings"] if item["area"] == "settings"]
    assert len(told) == 2
    assert any("defaults.horizon" in message for message in told)


def test_data_that_is_damaged_does_not_hide_the_rest(run: Run, desk: Path) -> None:
    from assay.market import simulate, write_dataset

    write_dataset(simulate(1, instruments=20, days=60).data, desk / "data" / "broken")
    path = desk / "data" / "broken" / "fields" / "close.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    done = run("doctor", "--json")
    assert done.code == 1
    found = by_area(done)
    assert problems(done) == ["data broken"]
    assert "close.npy" in found["data broken"]["message"]
    assert found["data small"]["outcome"] == "good"


def test_a_plan_that_the_calendar_does_not_keep(run: Run, desk: Path) -> None:
    plan_across_a_holiday(desk)
    done = run("doctor", "--json")
    assert done.code == 1
    assert problems(done) == ["periods small"]
    assert "16 bars lie between" in by_area(done)["periods small"]["message"]


def test_a_plan_that_was_moved_after_looks(run: Run, desk: Path) -> None:
    asked = ("judge", "rank(volume)", "--data", "small", "--period", "score", "--yes", "--json")
    assert run(*asked, "--set", "bootstrap=0", "--set", "robustness=off").code == 0
    assert problems(run("doctor", "--no-network", "--json")) == []
    text = (desk / "assay.toml").read_text("utf-8")
    table = text.index("[data.small.periods]")
    lines = [line for line in text[table:].splitlines() if not line.startswith("score")]
    (desk / "assay.toml").write_text(text[:table] + "\n".join(lines) + "\n", encoding="utf-8")
    done = run("doctor", "--no-network", "--json")
    assert problems(done) == ["periods small"]
    assert "looks at score" in done.out


def test_a_copy_of_a_planned_data_set_under_another_name(run: Run, desk: Path) -> None:
    shutil.copytree(desk / "data" / "small", desk / "data" / "copy")
    manifest = desk / "data" / "copy" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text("utf-8")), "name": "copy"}), "utf-8")
    done = run("doctor", "--no-network", "--json")
    assert problems(done) == ["periods copy"]
    assert "no period plan" in by_area(done)["periods copy"]["message"]
    quick = ("--set", "bootstrap=0", "--set", "robustness=off")
    judged = run("judge", "rank(volume)", "--data", "copy", *quick)
    assert (judged.code, "judged by that plan" in judged.err) == (0, True)
    shut = run("judge", "rank(volume)", "--data", "copy", "--period", "score", "--yes", *quick)
    assert (shut.code, "'small'" in shut.err) == (2, True)
    assert run("periods", "set", "copy", "--json").code == 0
    planned = tomllib.loads((desk / "assay.toml").read_text("utf-8"))["data"]
    assert planned["copy"]["periods"] == planned["small"]["periods"]
    assert problems(run("doctor", "--no-network", "--json")) == []


def test_an_unknown_default(run: Run, desk: Path) -> None:
    config = desk / "assay.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("[defaults]", '[defaults]\ndata = "nowhere_near"', 1), encoding="utf-8")
    done = run("doctor", "--json")
    assert done.code == 1
    assert any("nowhere_near" in item["message"] for item in done.data["findings"])


def test_a_damaged_ledger_is_named_with_its_line(run: Run, desk: Path) -> None:
    ledger = ledger_of(desk)
    for number in range(4):
        ledger.append("refusal", {"reason": "x", "message": str(number)})
    damage(desk, 3)
    done = run("doctor", "--json")
    assert done.code == 1
    assert "line 3" in by_area(done)["ledger"]["message"]


def test_torn_tails_and_open_runs(run: Run, desk: Path) -> None:
    ledger = ledger_of(desk)
    for name in ("r-one", "r-two"):
        ledger.run(name).start("judge", Operator.human("ada"), "c", {})
    ledger.run("r-one").stop("finished")
    with open(desk / "ledger" / "ledger.jsonl", "ab") as file:
        file.write(b'{"batch":[0,1],"body":{"cut')
    done = run("doctor", "--json")
    assert done.code == 0
    assert "run r-one" not in by_area(done)
    assert "assay ledger close r-two" in by_area(done)["run r-two"]["fix"]
    assert any("27 bytes at the end" in item["message"] for item in done.data["findings"])


class _Service(BaseHTTPRequestHandler):
    asked: list[str | None] = []

    def do_GET(self) -> None:
        self.asked.append(self.headers.get("Authorization"))
        body = json.dumps({"object": "list", "data": [{"id": "toy-1", "object": "model"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[str]:
    _Service.asked.clear()
    with HTTPServer(("127.0.0.1", 0), _Service) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def use_model(desk: Path, url: str) -> None:
    config = desk / "assay.toml"
    config.write_text(
        config.read_text(encoding="utf-8")
        + f'\n[llm.backends.toy]\nkind = "openai"\nbase_url = "{url}"\nkey = "TOY_API_KEY"\nmodel = "toy-1"\n'
        + '\n[llm.backends.none]\nkind = "rules"\n'
        + '\n[llm.roles.proposer]\nbackend = "toy"\n\n[llm.roles.extractor]\nbackend = "none"\n',
        encoding="utf-8",
    )


def test_a_service_that_answers(run: Run, desk: Path, service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_model(desk, service)
    monkeypatch.setenv("TOY_API_KEY", CANARY)
    done = run("doctor", "--json")
    assert done.code == 0, done.out
    assert by_area(done)["model toy"]["outcome"] == "good"
    assert by_area(done)["keys"]["message"] == "set: TOY_API_KEY"
    assert _Service.asked == [f"Bearer {CANARY}"]
    assert CANARY not in done.out + done.err
    quiet = run("doctor", "--no-network", "--json")
    assert quiet.code == 0
    assert len(_Service.asked) == 1


def test_a_service_that_does_not_answer(run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with HTTPServer(("127.0.0.1", 0), _Service) as server:
        port = server.server_address[1]
    use_model(desk, f"http://127.0.0.1:{port}/v1")
    monkeypatch.setenv("TOY_API_KEY", CANARY)
    done = run("doctor")
    assert done.code == 1
    assert "problem  model toy" in done.out
    assert CANARY not in done.out + done.err


def test_a_backend_that_serves_a_recording(run: Run, desk: Path) -> None:
    """A role on the log of a run, or on a script, is looked at too, and nothing is asked over the network."""
    ledger_of(desk).append("refusal", {"reason": "x", "message": "y"})
    (desk / "replies.json").write_text('["hello"]', encoding="utf-8")
    tables = '\n[llm.backends.log]\nkind = "replay"\nrun = "r-1"\n[llm.roles.proposer]\nbackend = "log"\n'
    tables += '[llm.backends.file]\nkind = "scripted"\nscript = "replies.json"\n'
    tables += '[llm.roles.planner]\nbackend = "file"\n'
    with (desk / "assay.toml").open("a", encoding="utf-8") as file:
        file.write(tables)
    done = run("doctor", "--no-network", "--json")
    assert problems(done) == ["model log"]
    assert by_area(done)["model file"]["outcome"] == "good"
    assert "no run 'r-1' was started" in by_area(done)["model log"]["message"]
    (desk / "replies.json").unlink()
    assert problems(run("doctor", "--no-network", "--json")) == ["model file", "model log"]


def test_a_key_that_a_role_needs(run: Run, desk: Path) -> None:
    use_model(desk, "http://127.0.0.1:9/v1")
    done = run("doctor", "--json")
    assert done.code == 1
    assert problems(done) == ["keys"]
    assert any("TOY_API_KEY is not set" in item["message"] for item in done.data["findings"])
    (desk / ".env").write_text("TOY_API_KEY\n", encoding="utf-8")
    done = run("doctor", "--json")
    assert done.code == 1
    assert problems(done) == ["keys"]


def test_what_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = ["numpy>=2.0", "absent>=1.0", 'openai>=99.0; extra == "llm"', 'ruff; extra == "dev"']
    monkeypatch.setattr(_doctor_checks.metadata, "requires", lambda _: needs)
    found = list(_doctor_checks._packages())
    assert [(item.area, item.outcome) for item in found] == [("packages", "problem"), ("extra llm", "note")]
    assert "absent>=1.0" in found[0].message
    assert "pip install 'alpha-assay[llm]'" in str(found[1].fix)


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    (found,) = _doctor_checks._kernel_cache()
    assert found.outcome == "problem"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new" / "cache"))
    (found,) = _doctor_checks._kernel_cache()
    assert found.outcome == "good"
    assert not (tmp_path / "new").exists()


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        _doctor_checks.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 5 * 2**20})()
    )
    assert _doctor_checks._disk(tmp_path).outcome == "problem"


def test_notes_and_book_are_looked_at(run: Run, desk: Path) -> None:
    before = len(list((desk / "notes").glob("*.md")))
    assert run("note", "new", "low-vol", "--title", "Low volatility").code == 0
    run("book", "init")
    found = by_area(run("doctor", "--json", "--no-network"))
    assert found["notes"]["message"].startswith(f"{before + 1} can be read")
    assert found["book"]["outcome"] == "good"
    assert "the chain is whole" in found["book"]["message"]


def test_a_damaged_note_and_a_damaged_book_are_named(run: Run, desk: Path) -> None:
    assert run("note", "new", "low-vol", "--title", "Low volatility").code == 0
    run("book", "init")
    (desk / "notes" / "low-vol.md").write_bytes(b"\xff\xfe")
    lines = desk / "book" / "ledger" / "ledger.jsonl"
    lines.write_bytes(lines.read_bytes().replace(b'"kind"', b'"kinb"', 1))
    done = run("doctor", "--json", "--no-network")
    assert done.code == 1
    assert {"note low-vol", "book"} <= set(problems(done))
    assert all(item["fix"] for item in done.data["findings"] if item["outcome"] == "problem")


def test_what_sessions_learned_is_looked_at(run: Run, desk: Path) -> None:
    assert "knowledge" not in by_area(run("doctor", "--json", "--no-network"))
    kept = desk / "brain" / "knowledge_base.json"
    kept.parent.mkdir(exist_ok=True)
    KnowledgeBase(kept).add([KnowledgeEntry("", "turnover", "smoothing helps", ("turnover",))])
    found = by_area(run("doctor", "--json", "--no-network"))["knowledge"]
    assert found["message"] == "1 entries of BRAIN sessions can be read"
    kept.write_text("[", encoding="utf-8")
    done = run("doctor", "--json", "--no-network")
    assert problems(done) == ["knowledge"]
