from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli import _demo_campaign, _demo_run, _demo_workspace
from assay.cli._demo_run import PLANTED, SAME, chance_passes

Run = Callable[..., Any]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo on a small market with a handful of formulas."""
    from assay import library

    monkeypatch.setattr(_demo_run, "INSTRUMENTS", 60)
    monkeypatch.setattr(_demo_run, "DAYS", 320)
    monkeypatch.setattr(_demo_run, "SHEETS", 1)
    monkeypatch.setattr(_demo_workspace, "INSTRUMENTS", 60)
    monkeypatch.setattr(_demo_workspace, "DAYS", 700)  # the simulator keeps a year of them
    monkeypatch.setattr(_demo_campaign, "ROUNDS", 1)
    few = library.demo_set()[:6]
    monkeypatch.setattr(library, "demo_set", lambda: few)


def test_demo_says_that_the_data_is_simulated_and_writes_one_page(
    run: Run, small: None, tmp_path: Path
) -> None:
    done = run("demo", "--out", "here/there", "--seed", "3")
    assert done.code == 0, done.err
    assert "SIMULATED DATA: nothing here says anything about a real market." in done.out
    assert PLANTED in done.out
    assert re.search(r"\d+ of 10 planted signals passed", done.out)
    assert re.search(r"\d+ of \d+ known formulas equal to a planted one passed", done.out)
    assert "costs 5 bp buying, 15 bp selling" in done.out
    assert "chance alone would let about" in done.out
    assert re.search(r"On a twin market without any signal, \d+ of 16 passed", done.out)
    written = {path.relative_to(tmp_path / "here" / "there").parts[0] for path in tmp_path.rglob("*.*")}
    assert written == {"report.html", "ledger", "workspace-3"}
    page = (tmp_path / "here" / "there" / "report.html").read_text(encoding="utf-8")
    assert "Simulated data." in page
    assert f'<span class="tag mark">{PLANTED}</span>' in page
    assert "making the simulated market" in done.err
    assert re.search(r"\d+ of 12 trials were admitted", " ".join(done.out.split()))
    told = " ".join(done.out.split())
    assert re.search(r"its twin without any signal admitted \d+ of \d+", told)
    assert "“二十日反转”: admitted by the gate as TS_PCTCHANGE($close, 20), direction negative" in told
    assert "“Illiquidity”: refused with extract.conflicting_window" in told
    assert "eval stays sealed" in told
    assert re.search(r"The BRAIN agent, without a model, .* it stopped after \d+ simulations", told)


def test_a_second_demo_adds_no_trials_and_its_ledger_verifies(run: Run, small: None, tmp_path: Path) -> None:
    found = [run("demo", "--out", "same", "--seed", "3", "--json").data for _ in range(2)]
    first, again = (item["ledger"] for item in found)
    for step in ("campaign", "reports", "evolved", "brain"):
        assert found[0][step] == found[1][step]
    assert found[0]["campaign"]["trials"] == 12
    assert first["trials"] == again["trials"]
    assert 2 <= first["effective"] <= first["trials"] <= 16
    assert again["records"] > first["records"]
    assert run("ledger", "verify", "--ledger", "same/ledger").code == 0
    assert run("ledger", "verify", "--ledger", "same/workspace-3/ledger").code == 0
    elsewhere = run("demo", "--out", "same", "--seed", "4", "--json").data["ledger"]
    assert elsewhere["trials"] > first["trials"], "another market is another configuration"


def test_a_known_formula_that_ranks_as_a_planted_one_is_marked() -> None:
    from assay.judge import judge
    from assay.market import simulate

    panel = simulate(5, 60, 320)
    items, planted = _demo_run.demo_items(panel)
    names = [*planted, "classic-momentum-126-21", "classic-momentum-252-21", "classic-reversal-5"]
    against = {"turned": f"-({panel.manifest.planted[0].expression})"}
    settings = _demo_run.quick(_demo_run.demo_settings(panel))
    verdicts = judge({**{name: items[name] for name in names}, **against}, panel, settings, collect=True)
    marks = _demo_run.known_marks(verdicts, planted)
    assert {name for name, mark in marks.items() if mark == PLANTED} == set(planted)
    assert {name for name, mark in marks.items() if mark == SAME} == {
        "classic-momentum-126-21", "classic-reversal-5", "turned",
    }  # fmt: skip


def test_demo_json(run: Run, small: None) -> None:
    done = run("demo", "--json", "--seed", "3")
    assert done.code == 0, done.err
    found = done.data
    assert found["simulated"] is True
    assert found["planted"]["judged"] == 10
    assert len(found["ranked"]) == 16
    marks = [item["mark"] for item in found["ranked"]]
    assert any(item["warnings"] for item in found["ranked"]), "the page says that they are here"
    assert marks.count(PLANTED) == 10
    assert found["equal_to_planted"]["judged"] == marks.count(SAME)
    assert found["others"]["judged"] == 16 - 10 - marks.count(SAME)
    assert Path(found["report"]).is_file()
    page = Path(found["campaign"]["page"]).read_text(encoding="utf-8")
    assert "Simulated data" in page


def test_the_desks_of_the_demo_share_a_workspace(
    run: Run, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run("demo", "--json", "--seed", "3").data
    chinese, english = found["reports"]
    assert (chinese["admitted"], english["admitted"]) == (True, False)
    assert chinese["quotes"]["expr"] == "过去二十个交易日的累计涨跌幅"
    assert english["reasons"] == ["extract.conflicting_window"]
    for read in (chinese, english):
        page = Path(read["page"]).read_text(encoding="utf-8")
        assert read["factor"] in page
        assert "<mark" in page
    evolved = found["evolved"]
    assert evolved["seed"] == chinese["formula"]
    assert 1 <= evolved["tried"] <= 4
    alphas = found["brain"]
    assert 1 <= alphas["simulations"] <= 12
    assert alphas["best"] in Path(alphas["page"]).read_text(encoding="utf-8").replace("<wbr>", "")
    monkeypatch.chdir(found["workspace"])
    looks = [
        line for line in run("ledger", "show", "--json", "--kind", "look").data if line["kind"] == "look"
    ]
    assert {look["body"]["period"] for look in looks} == {"score"}
    assert run("campaign", "replay", "demo", "--to", "again").code == 0
    replayed = run(
        "report",
        "evolve",
        "note-chinese.json",
        "--data",
        "sim",
        "--policy",
        "sampler",
        "--seed",
        "3",
        "--run",
        "evolved",
        "--replay",
        "there",
    )
    assert replayed.code == 0, replayed.err


def test_chance_is_two_sided() -> None:
    assert chance_passes(1000, 3.0) == pytest.approx(2.6998, abs=1e-4)
    assert chance_passes(10, 0.0) == 10
    assert math.isclose(chance_passes(200, 1.959964), 10.0, rel_tol=1e-5)


@pytest.mark.slow
def test_the_demo_finds_what_was_planted_and_nothing_on_the_twin(run: Run) -> None:
    found = run("demo", "--json").data
    assert len(found["planted"]["failed"]) <= 2
    assert found["twin"]["passed"] <= 1
