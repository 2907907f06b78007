"""The service as clients see it: a real server on the loopback."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from assay.base import Operator
from assay.errors import Refusal
from assay.judge import issue_eval_token
from assay.ledger import Ledger
from assay.service import Answer
from assay.service._registry import Answers

from .conftest import gated_spec, hidden_needles, make_workspace

FORMULA = "TS_MEAN($close, 5) / $close"
CANDIDATE = "TS_PCTCHANGE($close, 20)"


def test_a_backtest_on_the_search_period_is_a_trial_and_no_look(serve):
    server = serve()
    spec = server.register()
    answer = server.backtest(FORMULA, spec_id=spec)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["period"], body["simulated"]) == ("search", True)
    assert isinstance(body["figures"]["ir"], float)
    assert {item["name"] for item in body["leaks"]} == {"prefix", "scramble", "permutation", "adjustment"}
    assert [server.count(kind) for kind in ("trial", "look", "run_start", "run_stop")] == [1, 0, 1, 1]
    trial = next(server.ledger.entries(kind="trial")).body
    assert (trial["desk"], trial["universe"], trial["period"]) == ("service", "index_a", "search")


def test_the_terms_are_those_of_the_spec(serve):
    server = serve()
    figures = []
    for changes in (
        {},
        {"universe": "CSI500"},
        {"neutralization": "industry_size"},
        {"rebalance": "monthly"},
        {"direction": "positive"},
    ):
        body = server.backtest(FORMULA, spec_id=server.register(**changes)).json()
        figures.append(json.dumps(body["figures"]))
    assert len(set(figures)) == 5


def test_what_the_engine_cannot_do_is_refused(serve):
    server = serve()
    for changes, reason in (
        ({"universe": "CSI1000"}, "unsupported_universe"),
        ({"universe": "CHINEXT"}, "unsupported_universe"),
        ({"universe": "ALL_A"}, "unsupported_universe"),
        ({"frequency": "monthly", "rebalance": "weekly"}, "unsupported_frequency"),
    ):
        answer = server.backtest(FORMULA, spec_id=server.register(**changes))
        assert answer.status_code == 422
        assert (answer.json()["source"], answer.json()["reason"]) == ("model", reason)
    assert server.count("trial") == 0


def test_options_that_do_not_exist_are_refused_and_never_ignored(serve):
    server = serve()
    for option in ("start_cash", "stop_loss", "dates", "costs", "shift_bars", "universe", "as_of", "until"):
        answer = server.backtest(FORMULA, spec_id=server.register(), **{option: 1})
        assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request")
        assert option in answer.text


@pytest.mark.parametrize("query", ["start=2020-01-01", "period=eval", "2020-01-01"])
def test_parameters_in_the_address_are_refused_and_never_ignored(serve, query):
    server = serve()
    asked = {"expression": FORMULA, "spec_id": server.register()}
    for path in (f"/backtest?{query}", f"/test_expr?{query}"):
        answer = server.search.post(path, json=asked)
        assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request")
        assert query.split("=")[0] in answer.text
    assert server.count("trial") == 0


def test_errors_of_the_model_say_where(serve):
    server = serve()
    for formula, reason in (
        ("RANK(", "syntax"),
        ("NOPE($close)", "unknown_op"),
        ("COUNT($close, 5)", "unsupported_op"),
        ("$net_mf_amount", "unsupported_field"),
        ("import os; os.system('x')", None),
        ("TS_MEAN($close, -5)", None),
    ):
        for path, more in (("/test_expr", {}), ("/backtest", {"spec_id": server.register()})):
            answer = server.search.post(path, json={"expression": formula, **more})
            body = answer.json()
            assert (answer.status_code, body["source"]) == (422, "model"), (formula, body)
            assert reason is None or body["reason"] == reason, body
            assert body["message"]
    assert server.count("trial") == 0


def test_an_error_is_told_at_its_place_in_the_formula_as_given(serve):
    server = serve()
    spec = server.register(direction="negative")
    body = server.backtest("RANK(TS_MEAN($clsoe, 5))", spec_id=spec).json()
    assert (body["details"]["line"], body["details"]["column"]) == (1, 14)
    assert body["details"]["did_you_mean"] == ["$close"]


def test_a_formula_is_tested_without_a_trial(serve):
    server = serve()
    body = server.search.post("/test_expr", json={"expression": FORMULA}).json()
    assert (body["lookback"], body["fields"]) == (5, ["close"])
    assert 0.5 < body["share"] <= 1.0
    assert (server.count("trial"), server.count("run_start")) == (0, 0)


def test_score_is_one_rounded_number_for_the_role_that_may(serve):
    server = serve()
    spec = server.register()
    denied = server.backtest(CANDIDATE, spec_id=spec, period="score")
    assert (denied.status_code, denied.json()["reason"]) == (403, "period_not_allowed")
    assert server.count("look") == 0
    answer = server.backtest(CANDIDATE, role="score", spec_id=spec, period="score")
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"period", "reward"}
    assert round(answer.json()["reward"] * 20) == pytest.approx(answer.json()["reward"] * 20)
    assert (server.count("look"), server.count("trial")) == (1, 1)
    assert server.backtest(CANDIDATE, role="score", spec_id=spec).json()["period"] == "search"


def test_the_seed_and_its_flip_read_nothing_hidden(serve):
    server = serve()
    spec = server.register()
    for formula in ("$close / TS_MEAN($close, 15)", "-2 * ($close / TS_MEAN($close, 15))"):
        answer = server.backtest(formula, role="score", spec_id=spec, period="score")
        assert answer.json()["reward"] == 0.0
    assert server.count("look") == 0


def test_over_budget_is_typed(serve):
    server = serve(score=1)
    spec = server.register()
    assert server.backtest(CANDIDATE, role="score", spec_id=spec, period="score").status_code == 200
    answer = server.backtest(FORMULA, role="score", spec_id=spec, period="score")
    assert (answer.status_code, answer.json()["reason"]) == (403, "look_budget_exhausted")
    assert server.count("look") == 1


def test_eval_is_sealed_until_a_person_opens_it(serve):
    server = serve()
    spec = server.register()
    body = {"spec_id": spec, "period": "eval"}
    for headers in (None, {"X-Assay-Eval-Token": "guess"}):
        answer = server.backtest(CANDIDATE, role="score", headers=headers, **body)
        assert (answer.status_code, answer.json()["reason"]) == (403, "eval_sealed")
    assert server.count("look") == 0
    token = issue_eval_token(server.ledger, data="toy", uses=1, operator=Operator.human("owner"))
    opened = server.backtest(CANDIDATE, headers={"X-Assay-Eval-Token": token}, **body)
    assert opened.status_code == 200, opened.text
    assert set(opened.json()) == {"period", "candidate", "seed"}
    assert server.count("look") == 2
    again = server.backtest(CANDIDATE, headers={"X-Assay-Eval-Token": token}, **body)
    assert (again.status_code, again.json()["reason"]) == (403, "eval_sealed")


def test_the_same_key_gives_the_same_answer_and_costs_nothing(serve):
    server = serve()
    spec = server.register()
    key = {"Idempotency-Key": "attempt-1"}
    ask = {"role": "score", "spec_id": spec, "period": "score"}
    first = server.backtest(CANDIDATE, headers=key, **ask)
    again = server.backtest(CANDIDATE, headers=key, **ask)
    assert first.content == again.content
    assert again.headers["idempotency-replayed"] == "true"
    assert (server.count("look"), server.count("trial")) == (1, 1)
    other = server.backtest(FORMULA, headers=key, **ask)
    assert (other.status_code, other.json()["reason"]) == (409, "idempotency_conflict")
    # a key of another role is another key: an answer about score never serves search
    search = server.backtest(CANDIDATE, headers=key, spec_id=spec)
    assert search.json()["period"] == "search"


def test_keys_used_at_once_are_worked_on_once(serve):
    server = serve()
    spec = server.register()
    key = {"Idempotency-Key": "both"}
    ask = {"role": "score", "spec_id": spec, "period": "score"}
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: server.backtest(CANDIDATE, headers=key, **ask), range(3)))
    assert {answer.content for answer in answers} == {answers[0].content}
    assert server.count("look") == 1


def test_a_restart_forgets_neither_specs_nor_answers(serve):
    server = serve()
    spec = server.register()
    key = {"Idempotency-Key": "k"}
    first = server.backtest(FORMULA, headers=key, spec_id=spec)
    server.kill()
    second = serve(data=server.data)
    again = second.backtest(FORMULA, headers=key, spec_id=spec)
    assert again.content == first.content
    assert second.count("trial") == 1
    assert second.backtest(CANDIDATE, spec_id=spec).status_code == 200


def test_answers_are_held_on_disk_and_not_in_memory(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger")
    answers = Answers(ledger)
    for number in range(3):
        assert answers.begin(f"key-{number}", number) is None
        answers.end(f"key-{number}", Answer(200, {"number": number}))
    assert not answers._running
    for held in (answers, Answers(ledger)):
        again = held.begin("key-1", 1)
        assert again is not None
        assert again.result() == Answer(200, {"number": 1})
        with pytest.raises(Refusal, match="another request"):
            held.begin("key-1", 2)


def test_who_waits_for_an_answer_that_cannot_be_recorded_hears_of_it(tmp_path):
    answers = Answers(Ledger.create(tmp_path / "ledger"))
    assert answers.begin("key", 1) is None
    waiting = answers.begin("key", 1)
    with pytest.raises(ValueError, match="JSON"):
        answers.end("key", Answer(200, {"value": math.nan}))
    for asked in (waiting, answers.begin("key", 1)):
        with pytest.raises(Refusal) as caught:
            asked.result()
        assert caught.value.reason.code == "idempotency_interrupted"


def test_killed_in_a_request_the_ledger_verifies_and_the_key_is_not_worked_on_again(serve):
    server = serve()
    spec = server.register()
    key = {"Idempotency-Key": "k"}
    ask = {"role": "score", "spec_id": spec, "period": "score", "headers": key}
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(server.backtest, CANDIDATE, **ask)
        while server.count("tool_call") == 0:
            assert not pending.done()
        server.kill()
        with pytest.raises(httpx.TransportError):
            pending.result()
    server.ledger.verify(objects=True)
    second = serve(data=server.data)
    again = second.backtest(CANDIDATE, **ask)
    assert (again.status_code, again.json()["reason"]) == (409, "idempotency_interrupted")
    assert second.count("look") <= 1
    second.ledger.verify(objects=True)


def test_work_over_the_time_limit_is_stopped_and_counted(serve):
    server = serve("--time-limit", "0.001")
    spec = server.register()
    answer = server.backtest(FORMULA, spec_id=spec)
    assert (answer.status_code, answer.json()["source"], answer.json()["reason"]) == (
        503,
        "environment",
        "time_limit",
    )
    with server.ledger.index() as index:
        assert not [state for state in index.runs().values() if state.open]
    server.ledger.verify()
    assert server.search.get("/health").status_code == 200


CONFINED = """
import json, sys
from pathlib import Path
from assay.service import Job, Terms, open_desk
from assay.service._worker import confine

desk = open_desk(Path(sys.argv[1]))
def ask(formula):
    return desk.do(Job(formula, "report", Terms(), "search", desk.new_run()))
first = ask("$close / TS_MEAN($close, 5)")  # threads and kernels are there from now on
status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
confine(int(status["VmData"].split()[0]) * 1024 + 2**20)
second = ask("$close / TS_MEAN($close, 7)")
confine(2**40)
third = ask("$close / TS_MEAN($close, 9)")
print(json.dumps([[answer.status, answer.body.get("reason")] for answer in (first, second, third)]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system enforces no limit of data")
def test_work_over_the_memory_limit_ends_with_a_reason_and_the_next_is_done(tmp_path, source):
    data = make_workspace(tmp_path / "desk", source)
    command = [sys.executable, "-c", CONFINED, str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[200, None], [503, "memory_limit"], [200, None]]
    Ledger.open(tmp_path / "desk" / "ledger").verify()


def test_more_than_may_wait_are_told_to(serve):
    server = serve("--waiting", "1")
    spec = server.register()
    formulas = [f"TS_MEAN($close, {window}) / $close" for window in range(30, 42)]
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda text: server.backtest(text, spec_id=spec), formulas))
    codes = [answer.status_code for answer in answers]
    assert set(codes) == {200, 429}
    busy = next(answer for answer in answers if answer.status_code == 429)
    assert int(busy.headers["retry-after"]) >= 1
    assert busy.json()["reason"] == "busy"
    assert server.count("trial") == codes.count(200)


def test_a_token_that_asks_too_often_waits(serve):
    server = serve("--rate", "3")
    answers = [server.search.post("/test_expr", json={"expression": FORMULA}) for _ in range(5)]
    assert [answer.status_code for answer in answers[:3]] == [200] * 3
    assert answers[-1].json()["reason"] == "too_many_requests"
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
    assert server.score.post("/test_expr", json={"expression": FORMULA}).status_code == 200


def test_altered_and_refused_specs_are_not_registered(serve):
    server = serve()
    whole = gated_spec().as_dict()
    altered = json.loads(json.dumps(whole))
    altered["verdict"]["spec"]["universe"] = "CSI500"
    loose = {"name": "x", "universe": "CSI300", "expr": "$close"}
    for document in (altered, loose, {}):
        answer = server.search.post("/specs", json=document)
        assert (answer.status_code, answer.json()["reason"]) == (422, "spec_altered")
    missing = server.backtest(FORMULA, spec_id=gated_spec().spec_id)
    assert (missing.status_code, missing.json()["reason"]) == (404, "unknown_spec")


def test_no_answer_header_or_error_names_a_hidden_date(serve, source):
    server = serve(score=2, sealed=1)
    spec = server.register()
    other = server.register(universe="CSI500", neutralization="industry")
    bad = server.register(universe="CSI1000")
    formulas = (FORMULA, CANDIDATE, "RANK(", "$nothing", "TS_MEAN($close, 504)", "$close - $close")
    for chosen in (spec, other, bad, "spec-0000000000000000"):
        for formula in formulas:
            server.search.post("/test_expr", json={"expression": formula})
            for period in ("search", "score", "eval"):
                server.backtest(formula, role="score", spec_id=chosen, period=period)
                server.backtest(formula, spec_id=chosen, period=period, until="2020-01-01")
    token = issue_eval_token(server.ledger, data="toy", uses=2, operator=Operator.human())
    for formula in (CANDIDATE, FORMULA):
        headers = {"X-Assay-Eval-Token": token}
        server.backtest(formula, headers=headers, spec_id=spec, period="eval")
    for path in ("/health", "/openapi.json", "/", "/../ledger", "/backtest?period=eval"):
        server.search.get(path)
    told = b"\n".join(server.seen)
    assert told.count(b"look_budget_exhausted") >= 1
    assert b"eval_sealed" in told
    found = [needle for needle in hidden_needles(source) if needle in told]
    assert found == []
    assert not re.search(rb"/desk/|ledger\.jsonl", told)
    secret = server.search.headers["authorization"].removeprefix("Bearer ").encode()
    assert secret not in told
    assert secret not in (server.ledger.folder / "ledger.jsonl").read_bytes()
