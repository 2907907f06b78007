from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.campaign import Rate, RoleBackends, _noise, noise_twin
from assay.config import Workspace, load_workspace
from assay.errors import AssayError, DataError, Refusal
from assay.judge.training import AdmissionRule
from assay.ledger import Ledger, Scope
from assay.market import open_panel, rewrite_dataset
from assay.market import simulate as real_simulate

from .accepted import RUN, desk


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return desk(tmp_path_factory.mktemp("desk"))


@pytest.mark.parametrize(
    ("admitted", "trials", "low", "high"),
    [
        (0, 100, 0.0, 100 * (1 - 0.025**0.01)),  # 3.62: what no admission of 100 rules out
        (100, 100, 100 * 0.025**0.01, 100.0),
        (1, 20, 0.126509, 24.873277),  # Clopper and Pearson
        (0, 0, 0.0, 100.0),
    ],
)
def test_intervals_are_exact(admitted: int, trials: int, low: float, high: float) -> None:
    rate = Rate.of(admitted, trials)
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=1e-5)
    assert (
        rate.per_hundred == pytest.approx(100 * admitted / trials) if trials else math.isnan(rate.per_hundred)
    )
    assert json.dumps(rate.as_dict(), allow_nan=False)


def test_a_simulated_twin_has_the_datas_settings_and_no_signal(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def watched(**settings: object) -> object:
        asked.append(settings)
        return real_simulate(**settings)  # type: ignore[arg-type]

    monkeypatch.setattr("assay.market.simulate", watched)
    ledger = Ledger.open(workspace.ledger_dir)
    end, n = ledger.end(), ledger.trials(Scope(data="toy")).n
    found = noise_twin(workspace, RUN, twins=2)
    assert (found.kind, found.block, found.sampled) == ("simulated", None, False)
    assert [settings["signal"] for settings in asked] == [False, False]
    assert asked[0]["seed"] == 3 == found.twins[0].seed
    assert asked[1]["seed"] == found.twins[1].seed != 3
    assert {(settings["instruments"], settings["days"]) for settings in asked} == {(60, 700)}
    assert ledger.end() == end, "nothing of a twin is in the workspace's ledger"
    assert ledger.trials(Scope(data="toy")).n == n
    assert found.noise.trials == sum(twin.rate.trials for twin in found.twins) > 30
    assert found.noise.admitted == sum(twin.rate.admitted for twin in found.twins)
    assert found.noise.per_hundred < found.real.per_hundred
    for twin in found.twins:
        assert twin.folder.parent == workspace.runs_dir / RUN / "noise"
        own = Ledger.open(twin.folder / "ledger")
        assert own.trials(Scope()).n == twin.rate.trials


def test_it_is_read_when_it_is_asked_for_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    first = noise_twin(workspace, RUN, twins=1)
    monkeypatch.setattr(_noise, "Campaign", None)  # nothing is run
    assert noise_twin(workspace, RUN, twins=1) == first


def test_the_same_seed_gives_the_same_twin_and_one_that_was_broken_off_goes_on(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = noise_twin(workspace, RUN, kind="permuted", seed=4)
    (twin,) = first.twins
    export = Ledger.open(twin.folder / "ledger").run("twin").export()
    shutil.rmtree(twin.folder)

    def broken(event: str, _: object) -> None:
        if event == "round":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        noise_twin(workspace, RUN, kind="permuted", seed=4, watch=broken)
    again = noise_twin(workspace, RUN, kind="permuted", seed=4)
    assert again == first
    assert Ledger.open(twin.folder / "ledger").run("twin").export() == export


def test_real_returns_are_permuted_by_blocks_of_four_labels(workspace: Workspace) -> None:
    found = noise_twin(workspace, RUN, kind="permuted", seed=1)
    assert (found.kind, found.block) == ("permuted", 20)
    (twin,) = found.twins
    assert twin.folder.name == "permuted-20-1"
    assert twin.rate.trials > 10
    other = noise_twin(workspace, RUN, kind="permuted", seed=1, block=30)
    assert other.twins[0].folder.name == "permuted-30-1"


def test_data_that_are_not_simulated_are_permuted(workspace: Workspace, tmp_path: Path) -> None:
    shutil.copytree(workspace.root, tmp_path / "desk")
    here = load_workspace(tmp_path / "desk")
    folder = here.data_dir / "toy"
    data = open_panel(folder).data
    rewrite_dataset(folder, lambda old: replace(old, source=replace(data.source, kind="table")))
    assert noise_twin(here, RUN).kind == "permuted"
    with pytest.raises(AssayError, match="not simulated"):
        noise_twin(here, RUN, kind="simulated")


def test_admission_is_deflated_by_the_runs_own_n(workspace: Workspace) -> None:
    """A rule of t and N alone admits at the same N as in the run, however few trials a twin's ledger has."""
    (twin,) = noise_twin(workspace, RUN).twins
    real = Ledger.open(workspace.ledger_dir).run(RUN)
    own = Ledger.open(twin.folder / "ledger").run("twin")
    counts = [[entry.body["ledger_n"] for entry in run.entries(kind="round") if "ledger_n" in entry.body]
              for run in (real, own)]  # fmt: skip
    assert counts[0] == counts[1]


def test_models_are_not_asked(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = _noise.recorded_config
    roles = RoleBackends("llm", "llm", "llm", "llm")
    monkeypatch.setattr(_noise, "recorded_config", lambda folder: replace(recorded(folder), roles=roles))
    assert noise_twin(workspace, RUN, kind="permuted", seed=9).sampled


def test_what_cannot_be_twinned(workspace: Workspace) -> None:
    with pytest.raises(Refusal) as refused:
        noise_twin(workspace, "c2")
    assert refused.value.reason.code == "unknown_run"
    with pytest.raises(AssayError, match="0 twins"):
        noise_twin(workspace, RUN, twins=0)
    with pytest.raises(DataError, match="blocks of 250"):
        noise_twin(workspace, RUN, kind="permuted", block=250)


@pytest.mark.slow
def test_a_year_of_training_is_long_enough_for_the_rule(tmp_path: Path) -> None:
    """Whole campaigns of 108 trials on 270 days of 60 names, by the default rule and N as it grows.

    Read by the normal distribution, the t alone let 11 of 80 such campaigns admit more than one factor.
    """
    here = desk(tmp_path, rounds=9, admission=AdmissionRule())
    found = noise_twin(here, RUN, twins=50)
    many = sum(twin.rate.admitted > 1 for twin in found.twins)
    assert many <= 1, f"{many} of 50 twins admit more than one; per 100 trials: {found.noise.as_dict()}"
