"""``assay report`` through the real boundary: results, exit codes, records, bad input."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.ledger import Ledger
from assay.tools import TrajectoryStore

from ..llm.server import Answer, Service, completion
from ..reports.notes_llm import ANSWER, CLEAN, LIST, NAME, SPEC, call

Run = Callable[..., Any]
FIELDS = {
    "status", "reason", "target", "spec", "direction", "evidence", "undeclared", "readings", "admitted",
    "candidates",
}  # fmt: skip
RULES_NOTE = (
    "我们在沪深300成分股内，每个交易日收盘后计算过去二十个交易日的累计涨跌幅，记作“二十日反转”因子。因子按周调仓。"
    "前期涨幅越大的股票，随后一周的收益越低。"
)
TITLED = "# 换手率因子的再探讨\n\n我们计算过去20个交易日的平均换手率，值越低越好，也即未来收益越高。\n"
NO_FACTOR = "本周市场震荡，北向资金小幅流出，建议关注消费板块。"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(CLEAN, encoding="utf-8")
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A note that the rules read whole."""
    path = tmp_path / "plain.txt"
    path.write_text(RULES_NOTE, encoding="utf-8")
    return path


def _role(desk: Path, *replies: Any) -> None:
    """Give the workspace an extractor that says what the script says."""
    script = [reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False) for reply in replies]
    (desk / "script.json").write_text(json.dumps(script), encoding="utf-8")
    with (desk / "assay.toml").open("a", encoding="utf-8") as file:
        file.write('\n[llm.backends.play]\nkind = "scripted"\nscript = "script.json"\nmodel = "toy"\n')
        file.write('\n[llm.roles.extractor]\nbackend = "play"\n')


def _records(desk: Path, kind: str) -> list[Any]:
    return [entry.body for entry in Ledger.open(desk / "ledger").entries(kind=kind)]


def test_a_spec_is_printed_with_all_that_is_promised(run: Run, plain: Path) -> None:
    done = run("report", "extract", str(plain), "--json")
    assert done.code == 0
    assert set(done.data) >= FIELDS
    assert (done.data["status"], done.data["direction"]) == ("spec", "negative")
    assert done.data["spec"]["expr"] == "TS_PCTCHANGE($close, 20)"
    assert done.data["undeclared"] == ["neutralization"]
    assert done.data["defaults"] == {"neutralization": "none"}
    assert done.data["admitted"] is True
    assert done.data["readings"] is None
    assert done.data["run"] is None
    assert [c["name"] for c in done.data["candidates"]] == [done.data["target"]]
    shown = run("report", "extract", str(plain)).out
    assert "undeclared (none is used)" in shown
    assert "gate: admitted" in shown


def test_a_refusal_has_exit_code_1(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "macro.txt"
    path.write_text(NO_FACTOR, encoding="utf-8")
    done = run("report", "extract", str(path), "--json")
    assert (done.code, done.data["status"], done.data["reason"]) == (1, "refused", "extract.no_factor")
    assert set(done.data) >= FIELDS
    assert done.data["admitted"] is False
    assert "extract.no_factor" in run("report", "extract", str(path)).out


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("量价因子定义为过去20日收盘价与成交量的相关系数。", "ts_corr(close, volume, 20)"),
        (
            "The factor is defined as minus the 10-day correlation between close and volume.",
            "-ts_corr(close, volume, 10)",
        ),
    ],
)
def test_an_op_outside_the_dialect_is_offered_in_core_by_option(
    run: Run, desk: Path, text: str, formula: str
) -> None:
    path = desk / "pv.txt"
    path.write_text(text, encoding="utf-8")
    without = run("report", "extract", str(path), "--json")
    assert (without.code, without.data["details"]) == (1, {})
    assert formula not in run("report", "extract", str(path)).out
    done = run("report", "extract", str(path), "--allow-core", "--data", "small", "--json")
    assert (done.code, done.data["status"], done.data["reason"]) == (1, "refused", "extract.unsupported_op")
    assert (done.data["spec"], done.data["admitted"]) == (None, False)
    assert {span["field"] for span in done.data["evidence"]} == {"expr", "windows"}
    offer = done.data["details"]
    assert (offer["core_formula"], offer["dialect"]) == (formula, "core")
    assert f"in the core dialect: {formula}" in run("report", "extract", str(path), "--allow-core").out
    command = shlex.split(offer["fix"].partition(": ")[2])
    assert command[:2] == ["assay", "judge"]
    assert run(*command[1:], "--json").code == 0


@pytest.mark.parametrize("text", [NO_FACTOR, "UPDAYS = COUNT($return, 20). Weekly.", RULES_NOTE])
def test_allow_core_offers_nothing_where_nothing_can_be_written(run: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "note.txt"
    path.write_text(text, encoding="utf-8")
    assert run("report", "extract", str(path), "--allow-core", "--json").data["details"] == {}
    assert "--allow-core" not in run("report", "extract", str(path), "--allow-core").out


BAD_FILES = {
    "missing": (None, "document.unreadable"),
    "empty": (b"", "document.empty"),
    "binary": (bytes(range(256)) * 8, "document."),
    "gbk": ("过去二十日的累计涨跌幅，每周调仓，沪深300。".encode("gbk"), "document.wrong_encoding"),
    "no pdf": (b"%PDF-1.7\nnothing", "document.unreadable"),
}


@pytest.mark.parametrize("command", ["extract", "list", "validate"])
@pytest.mark.parametrize(("content", "reason"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_cannot_be_read_is_bad_input(
    run: Run, tmp_path: Path, command: str, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "bad.txt"
    if content is not None:
        path.write_bytes(content)
    (tmp_path / "spec.json").write_text(json.dumps(ANSWER), encoding="utf-8")
    more = [str(tmp_path / "spec.json")] if command == "validate" else []
    done = run("report", command, str(path), *more, "--json")
    assert done.code == 2
    assert done.data["error"] == "refusal"
    assert done.data["reason"].startswith(reason)
    assert done.data["fix"]


def test_bad_options_are_bad_input(run: Run, note: Path, tmp_path: Path) -> None:
    near = run("report", "extract", str(note), "--backend", "extracter", "--json")
    assert (near.code, "extractor" in near.data["fix"]) == (2, True)
    outside = run("report", "extract", str(note), "--backend", "extractor", "--json")
    assert (outside.code, outside.data["where"]) == (2, "--backend")
    for arguments in (
        ("extract", str(note), "--html", str(tmp_path)),
        ("extract", str(note), "--data", "nowhere"),
        ("list", str(note), "--write", str(tmp_path / "new")),
        ("score", str(tmp_path / "none.jsonl")),
        ("dry-run", "--mode", "half"),
        ("dry-run", "--split", "test"),
        ("compare", "--before", "a", "--after", "b"),
    ):
        done = run("report", *arguments, "--json")
        assert (done.code, bool(done.data["message"])) == (2, True), arguments


def test_no_output_takes_the_place_of_an_input_or_of_another(run: Run, note: Path, tmp_path: Path) -> None:
    before = note.read_bytes()
    (tmp_path / "link.md").symlink_to(note)
    both = str(tmp_path / "both")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"case_id": "en-01", "prediction": {}}\n', encoding="utf-8")
    for arguments in (
        ("extract", str(note), "--out", str(note)),
        ("extract", str(tmp_path / "link.md"), "--html", str(note)),
        ("extract", str(note), "--out", both, "--html", both),
        ("holdout-report", str(rows), "--out", str(rows)),
    ):
        done = run("report", *arguments, "--json")
        assert (done.code, done.data["fix"]) == (2, "name another file"), arguments
    assert note.read_bytes() == before
    assert rows.read_text(encoding="utf-8").startswith('{"case_id"')
    assert not Path(both).exists()


def test_predictions_are_read_up_to_a_size(run: Run) -> None:
    done = run("report", "score", "/dev/zero", "--json")
    assert (done.code, "larger" in done.data["message"]) == (2, True)


def test_a_run_in_a_workspace_is_recorded_with_its_readings(run: Run, desk: Path, plain: Path) -> None:
    done = run(
        "report", "extract", str(plain), "--data", "small", "--json", "--out", str(desk / "gated.json")
    )
    assert done.code == 0, done.err
    readings = done.data["readings"]
    assert readings["data"] == "small"
    assert len(readings["points"]) == 6
    (start,) = _records(desk, "run_start")
    assert (start["desk"], start["operator"]["kind"]) == ("reports", "system")
    assert set(start["inputs"]) == {"report", "data:small"}
    trials = _records(desk, "trial")
    assert len(trials) == 6
    assert {body["desk"] for body in trials} == {"reports"}
    keys = [f"{body['fingerprint']}:{body['config_hash']}" for body in trials]
    assert sorted(point["trial"] for point in readings["points"]) == sorted(keys)
    (verdict,) = _records(desk, "gate_verdict")
    assert (verdict["gate"], verdict["passed"]) == ("extraction", done.data["admitted"])
    assert not _records(desk, "look")
    assert _records(desk, "run_stop")[0]["reason"] == "finished"
    assert done.data["run"] == "reports-1"
    kept = json.loads((desk / "runs" / "reports-1" / "extraction.json").read_text(encoding="utf-8"))
    assert kept["spec"] == done.data["spec"]
    if done.data["admitted"]:
        from assay.spec import GatedSpec

        gated = GatedSpec.from_json((desk / "gated.json").read_text(encoding="utf-8"))
        assert gated.spec_id == done.data["spec_id"]


def test_a_page_shows_text_readings_and_backtest_and_adds_no_trial(run: Run, desk: Path, plain: Path) -> None:
    html = desk / "page.html"
    done = run("report", "extract", str(plain), "--data", "small", "--html", str(html), "--json")
    assert done.code == 0, done.err
    page = html.read_text(encoding="utf-8")
    assert "过去二十个交易日的累计涨跌幅" in page
    assert "prices as traded" in page
    assert "IR is of the book that buys low values, the stated direction" in page
    trials = _records(desk, "trial")
    assert len({(body["fingerprint"], body["config_hash"]) for body in trials}) == 6
    bare = run("report", "extract", str(plain), "--html", str(html))
    assert bare.code == 0


def test_the_lines_of_readings_say_whose_sign_they_have(run: Run, desk: Path, plain: Path) -> None:
    done = run("report", "extract", str(plain), "--data", "small")
    told = "RankIC and t are of the formula as written, IR is of the book that buys low values"
    assert told in done.out


def test_an_id_that_another_process_takes_first_is_passed_over(
    run: Run, desk: Path, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.base import Operator
    from assay.cli import _report_desk
    from assay.ledger import Ledger

    free = _report_desk._next_id
    taken: list[str] = []

    def raced(ledger: Ledger, workspace: Any) -> str:
        found = free(ledger, workspace)
        if not taken:
            taken.append(found)
            Ledger.open(desk / "ledger").run(found).start("reports", Operator.system("rules"), "c", {})
        return found

    monkeypatch.setattr(_report_desk, "_next_id", raced)
    done = run("report", "extract", str(plain), "--json")
    assert done.code == 0, done.err
    assert taken == ["reports-1"]
    assert done.data["run"] == "reports-2"


def test_a_refusal_in_a_workspace_is_recorded_and_tries_nothing(run: Run, desk: Path) -> None:
    path = desk / "macro.txt"
    path.write_text(NO_FACTOR, encoding="utf-8")
    out = desk / "gated.json"
    done = run("report", "extract", str(path), "--data", "small", "--out", str(out), "--json")
    assert done.code == 1
    (refusal,) = _records(desk, "refusal")
    assert refusal["reason"] == "extract.no_factor"
    assert _records(desk, "gate_verdict")[0]["passed"] is False
    assert not _records(desk, "trial")
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "name"), [("中证1000成分股", "CSI1000"), ("创业板指成分股", "CHINEXT"), ("全部A股", "ALL_A")]
)
def test_a_universe_without_members_is_extracted_and_refused_at_the_backtest(
    run: Run, desk: Path, plain: Path, words: str, name: str
) -> None:
    plain.write_text(RULES_NOTE.replace("沪深300成分股", words), encoding="utf-8")
    done = run(
        "report", "extract", str(plain), "--data", "small", "--out", str(desk / "gated.json"), "--json"
    )
    assert (done.code, done.data["spec"]["universe"], done.data["admitted"]) == (0, name, True)
    assert done.data["readings"] is None
    assert done.data["no_readings"].startswith("universe_without_backtest")
    assert name in done.err
    assert not _records(desk, "trial")
    (desk / "spec.json").write_text(json.dumps(done.data), encoding="utf-8")
    assert run("report", "validate", str(plain), str(desk / "spec.json")).code == 0
    refused = run("backtest", "run", "--spec", str(desk / "gated.json"), "--data", "small", "--json")
    assert (refused.code, refused.data["reason"]) == (2, "unsupported_universe")
    assert name in refused.data["message"]


def test_a_spec_that_fails_the_gate_is_kept_with_its_reasons(run: Run, desk: Path, note: Path) -> None:
    wrong = {**ANSWER, "spec": {**SPEC, "expr": "TS_PCTCHANGE($close, 60)", "windows": [60]}}
    _role(desk, LIST, wrong)
    gated = desk / "gated.json"
    done = run(
        "report", "extract", str(note), "--backend", "extractor", "--data", "small", "--out", str(gated),
        "--json",
    )  # fmt: skip
    assert (done.code, done.data["admitted"], done.data["spec_id"]) == (0, False, None)
    assert not gated.exists()
    kept = json.loads((desk / "runs" / "reports-1" / "extraction.json").read_text(encoding="utf-8"))
    assert (kept["origin"], kept["spec"]["expr"]) == ("extracted", "TS_PCTCHANGE($close, 60)")
    assert "extract.ungrounded_number" in kept["gate"]["reasons"]
    assert any("60" in finding["message"] for finding in kept["gate"]["findings"])
    (verdict,) = _records(desk, "gate_verdict")
    assert (verdict["passed"], verdict["reasons"]) == (False, kept["gate"]["reasons"])
    assert not _records(desk, "trial")


def test_a_model_reads_and_its_calls_and_episodes_are_kept(run: Run, desk: Path, note: Path) -> None:
    _role(desk, LIST, ANSWER)
    done = run("report", "extract", str(note), "--backend", "extractor", "--json")
    assert done.code == 0, done.out
    assert done.data["target"] == NAME
    assert done.data["admitted"] is True
    assert len(_records(desk, "llm_call")) == 2
    store = TrajectoryStore(desk / "runs", "reports-1")
    case = f"doc-{done.data['document']['sha256'][:12]}"
    assert [tuple(item) for item in store.rollouts()] == [(case, "r0"), (case, "r0-list0")]
    (start,) = _records(desk, "run_start")
    assert start["operator"]["kind"] == "agent"


def test_a_recorded_extraction_is_played_again_without_the_model(run: Run, desk: Path, note: Path) -> None:
    _role(desk, LIST, ANSWER)
    first = run("report", "extract", str(note), "--backend", "extractor", "--json")
    settings = (
        (desk / "assay.toml")
        .read_text(encoding="utf-8")
        .replace('backend = "play"', 'backend = "again"\nmodel = "toy"')
    )
    settings += '\n[llm.backends.again]\nkind = "replay"\nrun = "reports-1"\n'
    (desk / "assay.toml").write_text(settings, encoding="utf-8")
    (desk / "script.json").unlink()
    again = run("report", "extract", str(note), "--backend", "extractor", "--json")
    assert again.code == 0, again.out
    assert {**again.data, "run": None} == {**first.data, "run": None}
    other = note.with_name("other.txt")
    other.write_text(CLEAN + "\n补充。", encoding="utf-8")
    missing = run("report", "extract", str(other), "--backend", "extractor", "--json")
    assert missing.code in (2, 3)
    assert missing.data["message"]


def test_a_model_reads_a_long_report_with_tools_that_are_recorded(run: Run, desk: Path) -> None:
    pages = ["。".join(chr(0x6000 + n * 160 + k % 160) * 3 for k in range(n, n + 600)) for n in range(2, 9)]
    path = desk / "long.txt"
    path.write_text("\f".join([CLEAN, *pages]), encoding="utf-8")
    lists = [LIST, {"factors": []}]
    turns = [call("search", {"query": "涨跌幅"}), call("search", {"query": ""}), {"answer": ANSWER}]
    _role(desk, *lists, *turns)
    done = run("report", "extract", str(path), "--backend", "extractor", "--json")
    assert done.code == 0, done.out
    assert [(body["tool"], body["illegal_kind"]) for body in _records(desk, "tool_call")] == [
        ("report.search", None),
        ("report.search", "schema_invalid"),
    ]


def test_a_service_that_fails_has_exit_code_3_and_the_run_is_stopped(
    run: Run, desk: Path, note: Path
) -> None:
    denied = {"error": {"message": "bad key", "type": "invalid_request_error", "code": "invalid_api_key"}}
    with Service(Answer(denied, 401)) as service:
        _loopback(desk, service)
        done = run("report", "extract", str(note), "--backend", "extractor", "--json")
    assert done.code == 3
    assert done.data["error"] == "provider_auth"
    assert _records(desk, "run_stop")[0]["reason"] == "stopped"


def test_a_service_on_the_loopback_reads_a_note(run: Run, desk: Path, note: Path) -> None:
    replies = [Answer(completion(json.dumps(item, ensure_ascii=False))) for item in (LIST, ANSWER)]
    with Service(*replies) as service:
        _loopback(desk, service)
        done = run("report", "extract", str(note), "--backend", "extractor", "--json")
        sent = [seen.body for seen in service.seen]
    assert done.code == 0, done.out
    assert done.data["spec"]["windows"] == [20]
    assert len(sent) == 2
    assert all("tools" not in body for body in sent)


def _loopback(desk: Path, service: Service) -> None:
    with (desk / "assay.toml").open("a", encoding="utf-8") as file:
        file.write(
            f'\n[llm.backends.near]\nkind = "openai"\nbase_url = "{service.url}/v1"\nmodel = "toy-1"\n'
            'stream = false\nretries = 0\n\n[llm.roles.extractor]\nbackend = "near"\n'
        )


def test_list_shows_candidates_and_the_gold_set(run: Run, note: Path, tmp_path: Path) -> None:
    listed = run("report", "list", str(note), "--json").data
    assert [(item["pages"], item["computable"]) for item in listed] == [([1], True)]
    gold = run("report", "list", "--write", str(tmp_path / "gold"), "--json").data
    assert len(gold) >= 40
    assert {item["language"] for item in gold} == {"zh", "en"}
    assert {path.name for path in (tmp_path / "gold").iterdir()} == {item["report"] for item in gold}
    assert "zh-01" in run("report", "list").out


@pytest.mark.parametrize(
    ("change", "code", "reason"),
    [
        ({}, 0, None),
        ({"expr": "TS_PCTCHANGE($close, 60)", "windows": [60]}, 1, "extract.ungrounded_number"),
    ],
)
def test_validate_is_the_gate(
    run: Run, plain: Path, tmp_path: Path, change: dict[str, Any], code: int, reason: str | None
) -> None:
    extracted = run("report", "extract", str(plain), "--json").data
    extracted["spec"].update(change)
    (tmp_path / "spec.json").write_text(json.dumps(extracted), encoding="utf-8")
    done = run("report", "validate", str(plain), str(tmp_path / "spec.json"), "--json")
    assert done.code == code
    assert done.data["admitted"] is (code == 0)
    if reason is not None:
        assert reason in done.data["reasons"]
        assert reason in run("report", "validate", str(plain), str(tmp_path / "spec.json")).out


def test_validate_takes_the_gated_file_and_refuses_an_altered_one(
    run: Run, plain: Path, tmp_path: Path
) -> None:
    gated, page = tmp_path / "gated.json", tmp_path / "page.html"
    made = run("report", "extract", str(plain), "--out", str(gated), "--html", str(page))
    assert made.out.endswith(f"wrote {page}\nwrote {gated}\n")
    assert "gate: admitted" in run("report", "validate", str(plain), str(gated)).out
    gated.write_text(gated.read_text(encoding="utf-8").replace("20", "60"), encoding="utf-8")
    refused = run("report", "validate", str(plain), str(gated), "--json")
    assert (refused.code, refused.data["reason"]) == (2, "spec_altered")


def test_a_refusal_names_the_title_without_its_mark_and_a_quote_once(run: Run, tmp_path: Path) -> None:
    path, page = tmp_path / "note.md", tmp_path / "page.html"
    path.write_text(TITLED, encoding="utf-8")
    done = run("report", "extract", str(path), "--html", str(page))
    assert done.code == 1
    assert done.out.startswith("换手率因子的再探讨  (note.md")
    quotes = [line for line in done.out.splitlines() if line.startswith("  page ")]
    assert quotes
    assert len(quotes) == len(set(quotes))
    assert done.out.endswith(f"wrote {page}\n")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"status": "spec"}', json.dumps({"spec": SPEC, "direction": "up"})]
)
def test_validate_refuses_what_is_no_spec(run: Run, note: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "spec.json").write_text(text, encoding="utf-8")
    done = run("report", "validate", str(note), str(tmp_path / "spec.json"), "--json")
    assert (done.code, "spec.json" in done.data["where"]) == (2, True)


def test_a_dry_run_is_scored_compared_and_reported(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "rules.jsonl"
    dry = run("report", "dry-run", "--mode", "both", "--out", str(out), "--json")
    assert dry.code == 0
    assert set(dry.data) == {"whole", "excerpt"}
    whole = dry.data["whole"]
    assert whole["overall"]["task_success"]["hits"] > 0
    assert whole["overall"]["cases"] == len(whole["cases"])
    assert {"zh", "en"} == set(whole["by_language"])
    assert run("report", "score", str(out), "--json").data == dry.data
    train = run("report", "score", str(out), "--split", "train", "--json").data["whole"]
    assert set(train["by_split"]) == {"train"}
    same = run("report", "compare", "--before", str(out), "--after", str(out), "--json").data
    assert {change["points"] for change in same["whole"]["changes"]} <= {0.0, None}
    for name in ("holdout.md", "holdout.json"):
        done = run("report", "holdout-report", str(out), "--out", str(tmp_path / name), "--json")
        assert set(done.data["whole"]["by_split"]) == {"holdout"}
    assert "| task success |" in (tmp_path / "holdout.md").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "holdout.json").read_text(encoding="utf-8")) == done.data
    text = run("report", "score", str(out)).out
    assert "95% intervals" in text
    assert "medians of" in text


def test_a_dry_run_of_a_model_stores_scored_episodes(run: Run, desk: Path, tmp_path: Path) -> None:
    from assay.reports.gold import export_batch, gold_cases

    case = next(case for case in gold_cases() if case.case_id == "zh-01")
    export_batch([case], tmp_path / "batch")
    _role(desk, {"factors": []})
    done = run("report", "dry-run", "--backend", "extractor", "--cases", str(tmp_path / "batch"), "--json")
    assert done.code == 0, done.out
    assert done.data["whole"]["overall"]["false_refusals"]["hits"] == 1
    assert [tuple(i) for i in TrajectoryStore(desk / "runs", "reports-1").rollouts()] == [
        ("zh-01", "whole-list0")
    ]
    assert _records(desk, "run_stop")[0]["reason"] == "finished"


def test_what_was_answered_before_a_service_failed_is_kept(run: Run, desk: Path, tmp_path: Path) -> None:
    from assay.reports.gold import export_batch, gold_cases

    cases = [case for case in gold_cases() if case.case_id in ("en-01", "zh-01")]
    export_batch(cases, tmp_path / "batch")
    out = tmp_path / "p.jsonl"
    denied = {"error": {"message": "bad key", "type": "invalid_request_error", "code": "invalid_api_key"}}
    with Service(Answer(completion('{"factors": []}')), Answer(denied, 401)) as service:
        _loopback(desk, service)
        done = run(
            "report", "dry-run", "--backend", "extractor", "--cases", str(tmp_path / "batch"),
            "--out", str(out), "--json",
        )  # fmt: skip
    assert done.code == 3
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["case_id"] for row in rows] == ["en-01"]


@pytest.mark.parametrize("origin", ["extracted", "injected"])
def test_cases_that_no_annotator_wrote_are_no_gold(run: Run, tmp_path: Path, origin: str) -> None:
    from dataclasses import replace

    from assay.reports.gold import export_batch, gold_case

    export_batch([replace(gold_case("en-01"), origin=origin)], tmp_path / "batch")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"case_id": "en-01", "prediction": {}}\n', encoding="utf-8")
    cases = ("--cases", str(tmp_path / "batch"), "--json")
    for command in (
        ("score", str(rows)),
        ("compare", "--before", str(rows), "--after", str(rows)),
        ("holdout-report", str(rows), "--out", str(tmp_path / "out.md")),
        ("inject",),
        ("dry-run",),
    ):
        done = run("report", *command, *cases)
        assert (done.code, f"en-01 ({origin})" in done.data["message"]) == (2, True), command
    assert not (tmp_path / "out.md").exists()


def test_no_negative_passes(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "negatives.jsonl"
    done = run("report", "inject", "--out", str(out), "--json")
    assert (done.code, done.data["passed"]) == (0, [])
    assert len(done.data["families"]) >= 13
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == done.data["negatives"]
    assert {row["origin"] for row in rows} == {"injected"}
    assert "empty_evidence" in run("report", "inject").out
