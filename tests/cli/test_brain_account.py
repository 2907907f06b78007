"""The commands of ``assay brain`` about an account: on a served platform, and on the local simulator."""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..brain.client.server import (
    PASSWORD,
    USER,
    Answer,
    Platform,
    alpha,
    page,
    refused,
    session,
    simulation,
)

Run = Callable[..., Any]

RANK = {"name": "rank", "category": "Cross Sectional", "definition": "rank(x, rate=2)", "level": "ALL"}
DELTA = {"name": "ts_delta", "category": "Time Series", "definition": "ts_delta(x, d)", "level": "ALL"}
FAILS = [{"name": "LOW_SHARPE", "result": "FAIL", "limit": 1.25, "value": 0.4}]
PASSES = [{"name": "LOW_SHARPE", "result": "PASS", "limit": 1.25, "value": 1.4}]


@pytest.fixture
def platform(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    """A served platform, named in the workspace of the current folder, whose ``.env`` holds the account."""
    from assay.config import init_workspace

    init_workspace(tmp_path)
    monkeypatch.delenv("BRAIN_USERNAME", raising=False)
    monkeypatch.delenv("BRAIN_PASSWORD", raising=False)
    (tmp_path / ".env").write_text(f"BRAIN_USERNAME={USER}\nBRAIN_PASSWORD='{PASSWORD}'\n")
    with Platform() as served:
        config = tmp_path / "assay.toml"
        config.write_text(f'{config.read_text()}\n[brain.client]\nbase_url = "{served.url}"\nattempts = 1\n')
        served.on("GET", "/authentication", Answer(session(9000).body))
        served.on("GET", "/operators", Answer([RANK, DELTA]))
        served.on("GET", "/data-fields", page([{"id": "close", "type": "MATRIX"}]))
        yield served


def answers(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let a person at a terminal type ``text``."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(text))


# ---- login, status


def test_login_says_who_and_keeps_the_session_for_what_follows(
    run: Run, platform: Platform, tmp_path: Path
) -> None:
    platform.on("POST", "/authentication", session(14400, "x", "CONSULTANT", "MULTI_SIMULATION"))
    done = run("brain", "login")
    assert done.code == 0
    assert "AB12345, for 4 h 00 min" in done.out
    assert "CONSULTANT, MULTI_SIMULATION" in done.out
    assert run("brain", "operators").code == 0
    assert len(platform.asked("POST", "/authentication")) == 1
    (kept,) = (tmp_path / "brain" / "session").glob("*.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert (tmp_path / "brain" / "session" / ".gitignore").read_text() == "*\n"


def test_login_ends_a_session(run: Run, platform: Platform, tmp_path: Path) -> None:
    platform.on("DELETE", "/authentication", Answer(status=204))
    assert run("brain", "login").code == 0
    assert "signed out" in run("brain", "login", "--end").out
    assert len(platform.asked("DELETE", "/authentication")) == 1
    assert list((tmp_path / "brain" / "session").glob("*.json")) == []


def test_a_session_is_forgotten_here_where_the_platform_is_away(
    run: Run, platform: Platform, tmp_path: Path
) -> None:
    assert run("brain", "login").code == 0
    platform.on("DELETE", "/authentication", Answer(status=502))
    done = run("brain", "login", "--end")
    assert (done.code, "forgotten here" in done.out) == (0, True), done.err
    assert "502" in done.err
    assert list((tmp_path / "brain" / "session").glob("*.json")) == []
    assert "session    none" in run("brain", "status").out
    assert run("brain", "login").code == 0
    assert run("brain", "login", "--end", "--json").data["ended"] is False


def test_a_biometric_sign_in_is_shown_as_a_link_and_waited_for(run: Run, platform: Platform) -> None:
    location = "/authentication/persona?inquiry=inq_1"
    headers = {"WWW-Authenticate": "persona", "Location": location}
    platform.on("POST", "/authentication", Answer({"inquiry": "inq_1"}, 401, headers))
    platform.on("POST", "/authentication/persona", session())
    done = run("brain", "login", "--json")
    assert done.data["session"]["user"] == "AB12345"
    assert f"{platform.url}{location}" in done.err
    platform.expire()
    alone = run("brain", "operators", "--refresh")
    assert alone.code == 3
    assert f"{platform.url}{location}" in alone.err


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refused(401, "INVALID_CREDENTIALS"), "BRAIN_PASSWORD"),
        (Answer({"detail": "x", "recaptcha": ["This field is required."]}, 401), "too many sign-ins"),
        (Answer("<html></html>", content_type="text/html"), "a page came"),
        (refused(503, "down"), "HTTP 503"),
    ],
)
def test_a_sign_in_that_fails_is_exit_code_3_with_what_to_do(
    run: Run, platform: Platform, answer: Answer, words: str
) -> None:
    platform.on("POST", "/authentication", answer)
    done = run("brain", "login")
    assert done.code == 3
    assert words in done.err
    assert "what to do" in done.err
    assert PASSWORD not in done.err + done.out


def test_without_credentials_the_command_says_where_they_belong(
    run: Run, platform: Platform, tmp_path: Path
) -> None:
    (tmp_path / ".env").unlink()
    done = run("brain", "status")
    assert done.code == 3
    assert "BRAIN_USERNAME and BRAIN_PASSWORD not set" in done.err
    assert "--local" in done.err


def test_another_host_is_refused_before_anything_is_sent(
    run: Run, platform: Platform, tmp_path: Path
) -> None:
    config = tmp_path / "assay.toml"
    config.write_text(config.read_text().replace(platform.url, "https://elsewhere.example"))
    done = run("brain", "login", "--json")
    assert done.code == 2
    assert done.data["reason"] == "host_not_allowed"


def test_status_never_signs_in_and_says_what_is_known(run: Run, platform: Platform) -> None:
    done = run("brain", "status")
    assert "session    none" in done.out
    assert "slots      3" in done.out
    assert "cached     nothing" in done.out
    assert platform.seen == []
    quota = {"X-Ratelimit-Limit": "5000", "X-Ratelimit-Remaining": "4321", "Location": "/simulations/S1"}
    platform.on("POST", "/simulations", Answer(b"", 201, quota))
    platform.on("GET", "/simulations/S1", Answer(simulation("S1", "rank(close)", alpha="A1")))
    platform.on("GET", "/alphas/A1", Answer(alpha("A1")))
    assert run("brain", "simulate", "rank(close)").code == 0
    told = run("brain", "status", "--json").data
    assert told["session"]["user"] == "AB12345"
    assert (told["quota"]["limit"], told["quota"]["remaining"]) == (5000, 4321)
    assert {one["kind"] for one in told["cached"]} == {"choices", "operators", "data-fields"}
    assert "4321 of 5000 simulations left" in run("brain", "status").out
    assert len(platform.asked("POST", "/authentication")) == 1


# ---- fields, operators


def test_data_sets_and_fields_are_listed_and_kept(run: Run, platform: Platform) -> None:
    category = {"id": "pv", "name": "Price Volume"}
    platform.on(
        "GET", "/data-sets", page([{"id": "pv1", "name": "Price", "category": category, "fieldCount": 2}])
    )
    close = {
        "id": "close",
        "type": "MATRIX",
        "dataset": {"id": "pv1"},
        "coverage": 1.0,
        "description": "Close",
    }
    platform.on("GET", "/data-fields", page([close]), page([close, {"id": "open"}]))
    assert "pv1" in run("brain", "fields").out
    first = run("brain", "fields", "pv1")
    assert "close" in first.out
    assert "1 fields" in first.out
    assert run("brain", "fields", "pv1").out == first.out
    assert "2 fields" in run("brain", "fields", "pv1", "--refresh").out
    assert [one["id"] for one in run("brain", "fields", "pv1", "--json").data] == ["close", "open"]


def test_an_empty_data_set_and_an_unknown_region_are_named(run: Run, platform: Platform) -> None:
    platform.on("GET", "/data-fields", page([]))
    empty = run("brain", "fields", "none1")
    assert empty.code == 2
    assert "dataset.id none1" in empty.err
    region = run("brain", "fields", "--region", "XXX", "--json")
    assert (region.code, region.data["reason"]) == (2, "bad_settings")
    assert "USA, GLB" in region.data["message"]


def test_operators_are_searched(run: Run, platform: Platform) -> None:
    done = run("brain", "operators", "--search", "series")
    assert "ts_delta" in done.out
    assert "rank" not in done.out
    assert len(run("brain", "operators", "--json").data) == 2
    assert len(platform.asked("GET", "/operators")) == 1


# ---- simulate


def test_a_typo_costs_no_slot_and_is_shown_at_its_place(run: Run, platform: Platform) -> None:
    platform.on("GET", "/data-fields", page([]))
    done = run("brain", "simulate", "rank(clse)", "rank(close")
    assert done.code == 2
    assert 'unknown variable "clse"' in done.out
    assert "    rank(clse)\n         ^^^^\n" in done.out
    assert "Unexpected end of input" in done.out
    assert platform.asked("POST", "/simulations") == []


def test_an_error_that_only_the_platform_finds_is_shown_with_a_caret(run: Run, platform: Platform) -> None:
    platform.on("POST", "/simulations", Answer(b"", 201, {"Location": "/simulations/S1"}))
    place = {"line": 1, "start": 5, "end": 10, "property": "regular"}
    reply = simulation("S1", "rank(close)", "ERROR", message="Invalid data field", location=place)
    platform.on("GET", "/simulations/S1", Answer(reply))
    done = run("brain", "simulate", "rank(close)")
    assert done.code == 2
    assert "Invalid data field" in done.out
    assert "    rank(close)\n         ^^^^^\n" in done.out


def test_figures_and_checks_are_shown_with_their_limits_and_counted(
    run: Run, platform: Platform, tmp_path: Path
) -> None:
    from assay.ledger import Ledger

    platform.on("POST", "/simulations", Answer(b"", 201, {"Location": "/simulations/S1"}))
    platform.on("GET", "/simulations/S1", Answer(simulation("S1", "rank(close)", alpha="A1")))
    platform.on("GET", "/alphas/A1", Answer(alpha("A1")))
    columns = [{"name": "date"}, {"name": "pnl"}]
    records = [["2020-01-01", 100.0], ["2020-01-02", -50.0]]
    platform.on(
        "GET",
        "/alphas/A1/recordsets/daily-pnl",
        Answer({"schema": {"properties": columns}, "records": records}),
    )
    done = run("brain", "simulate", "rank(close)", "--decay", "7", "--universe", "TOP500")
    assert done.code == 0
    assert "sharpe      1.40" in done.out
    assert "LOW_SHARPE 1.4, limit 1.25" in done.out
    assert "pending     SELF_CORRELATION" in done.out
    posted = platform.asked("POST", "/simulations")[0].body["settings"]
    assert (posted["decay"], posted["universe"]) == (7, "TOP500")
    (trial,) = Ledger.open(tmp_path / "ledger").entries(kind="trial")
    assert trial.body["expression"] == "rank(close)"
    assert trial.body["bars"] == 2
    (kept,) = run("brain", "results", "list", "--json").data["results"]
    assert (kept["alpha"], kept["expression"], kept["sharpe"]) == ("A1", "rank(close)", 1.4)
    shown = run("brain", "results", "show", "A1").out
    assert "PENDING SELF_CORRELATION" in shown


def test_damaged_results_are_named_before_a_slot_is_spent(
    run: Run, platform: Platform, tmp_path: Path
) -> None:
    (tmp_path / "brain").mkdir(exist_ok=True)
    (tmp_path / "brain" / "results.sqlite").write_bytes(b"only words" * 200)
    done = run("brain", "simulate", "rank(close)")
    assert (done.code, "set-aside" in done.err) == (2, True)
    assert platform.asked("POST", "/simulations") == []


def test_several_in_one_request_and_one_that_stops_the_other(run: Run, platform: Platform) -> None:
    platform.on("POST", "/authentication", session(14400, "x", "MULTI_SIMULATION"))
    platform.on("POST", "/simulations", Answer(b"", 201, {"Location": "/simulations/P1"}))
    platform.on("GET", "/simulations/P1", Answer({"id": "P1", "children": ["C1", "C2"], "status": "ERROR"}))
    platform.on("GET", "/simulations/C1", Answer(simulation("C1", "rank(close)", "CANCELLED")))
    failed = simulation("C2", "-close", "ERROR", message="Got invalid input at index 0")
    platform.on("GET", "/simulations/C2", Answer(failed))
    done = run("brain", "simulate", "rank(close)", "-close", "--multi", "--json")
    assert done.code == 2
    first, second = done.data
    assert (first["status"], second["status"]) == ("CANCELLED", "ERROR")
    assert "another of its request failed" in first["error"]["message"]
    assert second["error"]["message"] == "Got invalid input at index 0"


def test_a_quota_that_is_used_up_is_exit_code_3(run: Run, platform: Platform) -> None:
    platform.on("POST", "/simulations", refused(429, "SIMULATION_LIMIT_EXCEEDED"))
    done = run("brain", "simulate", "rank(close)", "--json")
    assert done.code == 3
    assert done.data[0]["error"]["error"] == "provider_quota"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--neutralization", "FOO"), "neutralization"),
        (("--test-period", "5"), "--test-period"),
        (("--truncation", "2"), "--truncation"),
        (("--data", "sim"), "--local"),
        (("--workspace", "/"), "no workspace"),
    ],
)
def test_options_that_do_not_fit_are_exit_code_2(
    run: Run, platform: Platform, options: tuple[str, ...], words: str
) -> None:
    done = run("brain", "simulate", "rank(close)", *options)
    assert done.code == 2
    assert words in done.err + done.out
    assert platform.asked("POST", "/simulations") == []


# ---- submit


def submittable(platform: Platform, *names: str, checks: Any = PASSES) -> None:
    for name in names:
        fresh = Answer(alpha(name))
        # read for the person, read before and after the submission
        platform.on("GET", f"/alphas/{name}", fresh, fresh, Answer(alpha(name, status="ACTIVE", stage="OS")))
        platform.on("GET", f"/alphas/{name}/check", Answer({"is": {"checks": checks}}))
        platform.on("POST", f"/alphas/{name}/submit", Answer(b"", 201, {"Retry-After": "0.0"}))
        platform.on("GET", f"/alphas/{name}/submit", Answer(b"", 404))


def posted(platform: Platform) -> list[str]:
    return [one.path for one in platform.seen if one.method == "POST" and one.path.endswith("/submit")]


def test_a_person_confirms_a_submission_by_typing(
    run: Run, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    submittable(platform, "A1", "A2")
    answers(monkeypatch, "submit 2\n")
    done = run("brain", "submit", "A1", "A2")
    assert done.code == 0
    assert "Type 'submit 2'" in done.err
    assert "A1: submitted, its status is ACTIVE" in done.out
    assert posted(platform) == ["/alphas/A1/submit", "/alphas/A2/submit"]


@pytest.mark.parametrize("typed", ["y\n", "yes\n", "submit\n", "submit 1\n", ""])
def test_anything_else_submits_nothing(
    run: Run, platform: Platform, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    submittable(platform, "A1", "A2")
    answers(monkeypatch, typed)
    done = run("brain", "submit", "A1", "A2")
    assert done.code == 1
    assert "nothing was submitted" in done.err
    assert posted(platform) == []


def test_without_a_terminal_a_submission_wants_names_and_yes(
    run: Run, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    submittable(platform, "A1")
    monkeypatch.setattr(sys, "stdin", io.StringIO("submit 1\n"))
    assert run("brain", "submit", "A1").code == 2
    assert run("brain", "submit", "--passing", "--yes").code == 2
    assert run("brain", "submit", "--yes").code == 2
    assert posted(platform) == []
    done = run("brain", "submit", "A1", "--yes", "--json")
    assert done.code == 0
    assert done.data == [{"alpha": "A1", "submitted": True, "status": "ACTIVE", "date": None}]


def test_no_more_than_the_cap(run: Run, platform: Platform) -> None:
    done = run("brain", "submit", "A1", "A2", "A3", "A4", "A5", "--yes")
    assert done.code == 2
    assert "the cap is 4" in done.err
    assert run("brain", "submit", "A1", "A2", "--cap", "1", "--yes").code == 2
    assert platform.seen == []


def test_the_unsubmitted_that_pass_and_do_not_exclude_each_other_are_taken(
    run: Run, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(name: str, fitness: float, checks: Any = PASSES) -> Any:
        stats = {"fitness": fitness, "sharpe": 2.0, "turnover": 0.3, "checks": checks}
        return alpha(name, **{"is": stats})

    def earns(name: str, seed: int) -> None:
        values = np.random.default_rng(seed).normal(0, 1e5, 200)
        days = np.datetime64("2020-01-01") + np.arange(200)
        properties = [
            {"name": "date", "title": "d", "type": "date"},
            {"name": "pnl", "title": "p", "type": "amount"},
        ]
        records = [[str(day), float(value)] for day, value in zip(days, values, strict=True)]
        body = {"schema": {"name": "daily-pnl", "properties": properties}, "records": records}
        platform.on("GET", f"/alphas/{name}/recordsets/daily-pnl", Answer(body))

    unsubmitted = [
        listed("A1", 1.1),
        listed("A2", 9.0, FAILS),
        listed("A3", 1.9),
        listed("A4", 1.7),
        listed("A5", 1.5),
    ]
    platform.on("GET", "/users/self/alphas", page(unsubmitted))
    submittable(platform, "A1", "A3", "A5")
    submittable(platform, "A4", checks=FAILS)
    # A3 and A5 earn the same, and neither is better than the other
    for name, seed in (("A1", 1), ("A3", 3), ("A4", 4), ("A5", 3)):
        earns(name, seed)
    answers(monkeypatch, "submit 2\n")
    done = run("brain", "submit", "--passing", "--cap", "2")
    assert done.code == 0
    assert posted(platform) == ["/alphas/A3/submit", "/alphas/A1/submit"]


def test_what_fails_a_check_is_not_submitted_and_the_check_is_named(run: Run, platform: Platform) -> None:
    submittable(platform, "A1")
    submittable(platform, "A2", checks=FAILS)
    done = run("brain", "submit", "A1", "A2", "--yes")
    assert done.code == 1
    assert "A2: not submitted: LOW_SHARPE" in done.out
    assert posted(platform) == ["/alphas/A1/submit"]


def test_what_the_platform_does_not_take_is_said(run: Run, platform: Platform) -> None:
    submittable(platform, "A1")
    platform.on("GET", "/alphas/A1", Answer(alpha("A1")))
    platform.on("POST", "/alphas/A1/submit", Answer({"is": {"checks": FAILS}}, 403))
    done = run("brain", "submit", "A1", "--yes", "--json")
    assert done.code == 1
    assert done.data[0]["failing"] == ["LOW_SHARPE"]


# ---- the local simulator


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from assay.market import simulate, write_dataset

    folder = tmp_path_factory.mktemp("brain") / "small"
    write_dataset(simulate(3, instruments=50, days=800, name="small").data, folder)
    return folder


def test_the_local_simulator_needs_neither_account_nor_workspace(
    run: Run, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAIN_USERNAME", raising=False)
    monkeypatch.delenv("BRAIN_PASSWORD", raising=False)
    where = ("--local", "--data", str(small))
    assert run("brain", "login", *where).code == 0
    assert "close" in run("brain", "fields", "pv1", *where).out
    done = run("brain", "simulate", "rank(-ts_delta(close, 5))", "rank(clse)", *where, "--json")
    assert done.code == 2
    good, bad = done.data
    assert good["alpha"]["is"]["sharpe"] is not None
    assert 'unknown variable "clse"' in bad["error"]["message"]


def test_a_local_account_lives_in_the_workspace(run: Run, small: Path, tmp_path: Path) -> None:
    from assay.config import init_workspace

    init_workspace(tmp_path)
    (tmp_path / "data" / "small").symlink_to(small, target_is_directory=True)
    made = run("brain", "simulate", "rank(ts_delta(close, 1))", "--local", "--json").data[0]["alpha"]["id"]
    done = run("brain", "submit", made, "--local", "--yes")
    assert done.code == 1
    assert f"{made}: not submitted: LOW_" in done.out


def test_progress_and_a_missing_daily_pnl_are_said_and_nothing_is_lost(run: Run, platform: Platform) -> None:
    platform.on("POST", "/simulations", Answer(b"", 201, {"Location": "/simulations/S1"}))
    going = [Answer({"progress": far}, headers={"Retry-After": "0"}) for far in (0.1, 0.35, 0.4, 0.95)]
    platform.on("GET", "/simulations/S1", *going, Answer(simulation("S1", "rank(close)", alpha="A1")))
    platform.on("GET", "/alphas/A1", Answer(alpha("A1")))
    platform.on("GET", "/alphas/A1/recordsets/daily-pnl", refused(500, "x"))
    done = run("brain", "simulate", "rank(close)")
    assert done.code == 0
    assert [line for line in done.err.splitlines() if line.endswith("simulated")] == [
        "1 of 1: 35% simulated",
        "1 of 1: 95% simulated",
    ]
    assert "the daily PnL of A1 cannot be read" in done.err
    assert "1 counted as trials" in done.err
