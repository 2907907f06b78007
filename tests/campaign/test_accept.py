from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.base import Operator
from assay.campaign import (
    Acceptance,
    AcceptChoice,
    _accept,
    accept,
    campaign_report,
    plan_acceptance,
)
from assay.campaign._second_engine import second_engine
from assay.config import Workspace, load_workspace
from assay.engine import evaluate, reference
from assay.errors import AssayError, Refusal
from assay.expr import parse
from assay.judge import panel_fields, verify_certificate
from assay.ledger import Ledger
from assay.library import Zoo
from assay.market import open_panel, simulate
from assay.views import campaign_report as campaign_page

from .accepted import RUN, desk

ADA = Operator.human("ada")


def ledger_of(workspace: Workspace) -> Ledger:
    return Ledger.open(workspace.ledger_dir)


def looks(workspace: Workspace) -> list[Any]:
    return list(ledger_of(workspace).entries(kind="look"))


def files(folder: Path) -> Mapping[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("finished")
    desk(root)
    return root


@pytest.fixture(scope="module")
def accepted(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Acceptance, bytes]:
    """A workspace whose campaign was accepted, what that found, and the campaign's export before it."""
    root = tmp_path_factory.mktemp("accepted") / "desk"
    shutil.copytree(finished, root)
    workspace = load_workspace(root)
    before = ledger_of(workspace).run(RUN).export()
    return workspace, accept(workspace, RUN, ADA, confirmed=True), before


@pytest.fixture
def fresh(finished: Path, tmp_path: Path) -> Workspace:
    """The finished campaign, not accepted yet."""
    shutil.copytree(finished, tmp_path / "desk")
    return load_workspace(tmp_path / "desk")


Done = tuple[Workspace, Acceptance, bytes]


def test_each_certificate_is_one_look_and_the_campaign_is_as_it_was(accepted: Done) -> None:
    workspace, found, before = accepted
    assert len(found.factors) >= 3
    assert [portfolio.kind for portfolio in found.portfolios] == ["equal", "ridge"]
    charged = looks(workspace)
    assert len(charged) == len(found.factors) + len(found.portfolios)
    assert {entry.body["period"] for entry in charged} == {"eval"}
    assert {entry.body["operator"]["identifier"] for entry in charged} == {"ada"}
    assert ledger_of(workspace).run(RUN).export() == before
    with ledger_of(workspace).index() as index:
        assert not [run.id for run in index.runs().values() if run.open]


def test_certificates_are_whole_and_of_the_hold_out(accepted: Done) -> None:
    _, found, _ = accepted
    assert found.folder is not None
    for factor in found.factors:
        certificate = json.loads((found.folder / "certificates" / f"{factor.name}.json").read_text())
        verify_certificate(certificate)
        body = certificate["body"]
        assert certificate["content_hash"] == factor.certificate
        assert (body["data"]["period"], body["data"]["hidden_opened"]) == ("eval", ["eval"])
        assert body["settings"]["leak_checks"] == "full"
        assert [leak["outcome"] for leak in body["leaks"]] == ["passed"] * 4
        assert body["settings"]["direction"] == "given"
        assert factor.second_engine["agreed"]
        assert factor.second_engine["cells"] > 100
    assert str(found.hold_out.start) == body["data"]["first_signal"]


def test_a_factor_keeps_the_sign_that_it_had_in_training(accepted: Done) -> None:
    _, found, _ = accepted
    signs = {factor.direction for factor in found.factors}
    assert signs == {1, -1}, "the example should have both"
    for factor in found.factors:
        assert (factor.training["rank_ic"] or 0.0) * factor.direction > 0
        assert factor.expression.startswith("-(") == (factor.direction < 0)
        if (factor.hold_out["rank_ic"] or 0.0) <= 0:
            assert not factor.passed
            assert any("sign did not hold" in reason for reason in factor.reasons)


def test_what_passed_is_in_the_zoo_with_its_watch(accepted: Done) -> None:
    workspace, found, _ = accepted
    members = {member.name: member for member in Zoo.read(ledger_of(workspace)).members()}
    passed = [factor for factor in found.factors if factor.passed]
    assert passed, "the example should have one"
    assert set(members) == {factor.name for factor in passed}
    for factor in passed:
        member = members[factor.name]
        assert (member.operator.identifier, member.certificate) == ("ada", factor.certificate)
        assert member.watch is not None
        assert member.watch.mean == pytest.approx(factor.hold_out["rank_ic"])
        assert member.watch.after == found.hold_out.end
        assert factor.in_zoo


def test_values_are_those_of_the_engine(accepted: Done) -> None:
    workspace, found, _ = accepted
    assert found.folder is not None
    frame = pl.read_parquet(found.folder / "values.parquet")
    panel = open_panel(workspace.data_dir / "toy").between(None, found.hold_out.end)
    assert frame["date"].max() == found.hold_out.end
    factor = found.factors[0]
    members = panel.universe("all")
    node = parse(factor.expression, fields=panel_fields(panel)).node
    whole = evaluate({"x": node}, panel, universe=members)["x"]
    rows = np.searchsorted(panel.dates, frame["date"].to_numpy().astype("datetime64[D]"))
    columns = [panel.instruments.index(name) for name in frame["instrument"]]
    assert np.array_equal(
        frame[factor.name].fill_null(np.nan).to_numpy(), whole[rows, columns], equal_nan=True
    )
    names = [*(item.name for item in found.factors), *(item.name for item in found.portfolios)]
    assert frame.columns == ["date", "instrument", *names]


def test_the_export_says_it_all_in_other_languages_too(accepted: Done) -> None:
    _, found, _ = accepted
    assert found.folder is not None
    whole = json.loads((found.folder / "acceptance.json").read_text())
    assert whole["files"] == sorted(files(found.folder))
    assert Acceptance.from_dict(whole).as_dict() == found.as_dict()
    for language in ("fastexpr", "qlib"):
        text = (found.folder / f"formulas.{language}.txt").read_text()
        for factor in found.factors:
            written = getattr(factor, language)
            assert f"# {factor.name}: {factor.expression}" in text
            assert (written.text or written.note) in text
            assert all(f"# differs: {item}" in text for item in written.differences)
    assert any(factor.qlib.differences for factor in found.factors)


def test_periods_and_who_saw_them(accepted: Done) -> None:
    _, found, _ = accepted
    seen = {row["period"]: row for row in found.seen}
    assert list(seen) == ["training", "validate", "score", "eval"]
    assert seen["training"]["by"][0]["roles"]["proposer"] == "sampler"
    assert seen["score"]["by"] == []
    (reader,) = seen["eval"]["by"]
    assert (reader["who"]["identifier"], reader["how"]) == ("ada", f"{len(found.factors) + 2} looks")
    assert (
        seen["training"]["end"] < seen["validate"]["start"] < seen["validate"]["end"] < seen["eval"]["start"]
    )


def test_overfitting_is_of_all_trials_of_the_run(accepted: Done) -> None:
    workspace, found, _ = accepted
    trials = len(list(ledger_of(workspace).run(RUN).entries(kind="trial")))
    assert found.overfit.trials == trials
    assert found.overfit.splits == 12870
    assert found.overfit.pbo is not None
    assert 0 <= found.overfit.pbo <= 1


def test_the_order_of_admission_is_measured_on_the_run_as_it_was(accepted: Done) -> None:
    workspace, found, _ = accepted
    assert found.order is not None
    admitted = len([e for e in ledger_of(workspace).run(RUN).entries(kind="admission") if e.body["admitted"]])
    # the rule of this run asks nothing of N, so its own order admits what it admitted
    assert found.order.given == admitted
    assert found.order.orders == 100
    report = campaign_report(ledger_of(workspace), workspace.runs_dir, RUN)
    assert report.order == found.order
    assert f"every order admits {found.order.always}" in campaign_page(report)
    assert "Admitted in other orders" not in campaign_page(replace(report, order=None))


def test_a_record_of_before_the_order_was_measured_is_read(accepted: Done) -> None:
    data = replace(accepted[1], order=None).as_dict()
    assert "order" not in data
    assert Acceptance.from_dict(data).as_dict() == data


def test_again_charges_nothing_and_gives_the_same_bytes(accepted: Done) -> None:
    workspace, found, _ = accepted
    assert found.folder is not None
    end, before = ledger_of(workspace).end(), files(found.folder)
    again = accept(workspace, RUN, Operator.human("bob"))  # nothing is opened: nobody has to confirm
    assert again.again
    assert again.as_dict() == found.as_dict()
    assert files(found.folder) == before
    shutil.rmtree(found.folder)
    accept(workspace, RUN, ADA)
    assert files(found.folder) == before
    assert ledger_of(workspace).end() == end
    assert plan_acceptance(workspace, RUN).done


def test_an_altered_export_is_told_and_other_choices_are_refused(accepted: Done) -> None:
    workspace, found, _ = accepted
    assert found.folder is not None
    path = found.folder / "formulas.qlib.txt"
    whole = path.read_bytes()
    path.write_bytes(whole + b"x")
    with pytest.raises(AssayError, match=r"formulas\.qlib\.txt"):
        accept(workspace, RUN, ADA)
    path.write_bytes(whole)
    with pytest.raises(Refusal) as refused:
        accept(workspace, RUN, ADA, AcceptChoice(combine=("equal",)), confirmed=True)
    assert refused.value.reason.code == "accepted_otherwise"


def test_nothing_is_opened_without_a_word(fresh: Workspace) -> None:
    end = ledger_of(fresh).end()
    plan = plan_acceptance(fresh, RUN)
    assert (plan.done, plan.hold_out.name, plan.looks_left) == (False, "eval", 60)
    assert plan.certificates == plan.factors + 2
    for operator, reason in ((ADA, "hold_out_closed"), (Operator.system("cron"), "humans_only")):
        with pytest.raises(Refusal) as refused:
            accept(fresh, RUN, operator)
        assert refused.value.reason.code == reason
    with pytest.raises(Refusal) as refused:
        accept(fresh, RUN, ADA, AcceptChoice(only=("r99-s00",)), confirmed=True)
    assert refused.value.reason.code == "nothing_admitted"
    assert ledger_of(fresh).end() == end
    assert not (fresh.runs_dir / RUN / "accepted").exists()


def test_too_few_looks_charge_none(fresh: Workspace) -> None:
    text = fresh.config_path.read_text()
    fresh.config_path.write_text(text.replace("eval = 60", "eval = 3"))
    short = load_workspace(fresh.root)
    with pytest.raises(Refusal, match="3 are left") as refused:
        accept(short, RUN, ADA, confirmed=True)
    assert refused.value.reason.code == "look_budget_exhausted"
    needed = refused.value.details["budget"]
    assert f"[data.toy.looks] eval = {needed}" in str(refused.value.fix)
    fresh.config_path.write_text(text.replace("eval = 60", f"eval = {needed}"))
    assert plan_acceptance(load_workspace(fresh.root), RUN).affordable
    fresh.config_path.write_text(text.replace("eval = 60", f"eval = {needed - 1}"))
    assert not plan_acceptance(load_workspace(fresh.root), RUN).affordable
    assert looks(short) == []
    (first, *_) = [entry.body["trial"] for entry in ledger_of(short).entries(kind="admission")
                   if entry.body["admitted"]]  # fmt: skip
    found = accept(short, RUN, ADA, AcceptChoice(only=(first,)), confirmed=True)
    assert [factor.trial for factor in found.factors] == [first]
    assert found.portfolios == ()  # of one factor there is none
    assert len(looks(short)) == 1


def test_killed_in_the_middle_it_pays_no_look_twice(
    fresh: Workspace, accepted: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_accept, "overfitting", killed)
        with pytest.raises(KeyboardInterrupt):
            accept(fresh, RUN, ADA, confirmed=True)
    paid = len(looks(fresh))
    assert paid > 0
    assert not (fresh.runs_dir / RUN / "accepted").exists()
    found = accept(fresh, RUN, ADA, confirmed=True)
    assert len(looks(fresh)) == paid == len(found.factors) + 2
    expected = accepted[1]
    assert [factor.certificate for factor in found.factors] == [
        factor.certificate for factor in expected.factors
    ]
    assert files(fresh.runs_dir / RUN / "accepted") == files(expected.folder or Path())


def test_killed_before_the_export_it_writes_it_later(
    fresh: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> Any:
        raise AssayError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(_accept, "export_acceptance", full)
        with pytest.raises(AssayError, match="disk is full"):
            accept(fresh, RUN, ADA, confirmed=True)
    found = accept(fresh, RUN, ADA)
    assert found.again
    assert found.folder is not None
    assert "acceptance.json" in files(found.folder)
    members = {member.name for member in Zoo.read(ledger_of(fresh)).members()}
    assert members == {factor.name for factor in found.factors if factor.in_zoo}


def test_a_moved_plan_is_refused(fresh: Workspace) -> None:
    text = fresh.config_path.read_text()
    fresh.config_path.write_text(text.replace("embargo_bars = 21", "embargo_bars = 22"))
    with pytest.raises(Refusal, match="periods changed") as refused:
        accept(load_workspace(fresh.root), RUN, ADA, confirmed=True)
    assert refused.value.reason.code == "changed_since"


def test_without_eval_the_validate_tail_is_the_hold_out(tmp_path: Path) -> None:
    workspace = desk(tmp_path, hidden=False, rounds=1)
    plan = plan_acceptance(workspace, RUN)
    assert (plan.hold_out.name, plan.looks_left) == ("validate", None)
    found = accept(workspace, RUN, ADA, confirmed=True)
    assert looks(workspace) == []
    assert found.hold_out.end == workspace.settings("toy").periods.search.end  # type: ignore[union-attr]
    assert [row["period"] for row in found.seen] == ["training", "validate"]


def test_runs_that_cannot_be_accepted(fresh: Workspace) -> None:
    ledger = ledger_of(fresh)
    ledger.run("other").start("judge", ADA, "0" * 64, {"data:toy": "0"})
    ledger.run("open").start("campaign", ADA, "0" * 64, {"data:toy": "0"})
    for name, reason in (("other", "not_a_campaign"), ("open", "campaign_unfinished"), ("no", "unknown_run")):
        with pytest.raises(Refusal) as refused:
            plan_acceptance(fresh, name)
        assert refused.value.reason.code == reason
    with pytest.raises(AssayError):
        plan_acceptance(fresh, "../c1")


def test_engines_that_differ_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = simulate(3, instruments=40, days=200)
    members = panel.universe("all")
    formula = parse("rank(ts_mean(close, 5))")
    assert second_engine(formula, panel, members, 1).agreed
    right = reference.evaluate
    monkeypatch.setattr(reference, "evaluate", lambda *a, **k: right(*a, **k) * np.float32(1.01))
    found = second_engine(formula, panel, members, 1)
    assert not found.agreed
    assert found.apart > 0.5
    monkeypatch.setattr(reference, "evaluate", lambda *a, **k: right(*a, **k) * np.float32(np.nan))
    assert second_engine(formula, panel, members, 1).apart == 1.0


def test_the_report_holds_later_figures_against_those_of_the_formula_as_tried(accepted: Done) -> None:
    workspace, found, _ = accepted
    report = campaign_report(ledger_of(workspace), workspace.runs_dir, RUN)
    assert {factor.direction for factor in found.factors} == {-1, 1}
    for factor in found.factors:
        seen = report.out_of_sample[factor.trial]
        for name in ("rank_ic", "neutral_rank_ic", "t"):
            own = factor.hold_out[name]
            assert getattr(seen, name) == (None if own is None else factor.direction * own)
