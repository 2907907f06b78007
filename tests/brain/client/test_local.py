"""The client against the simulator, in process: all of the protocol, without a socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.brain import Place, Running, Simulation, SimulationRequest, SlotsFull
from assay.brain.simulator import FaultSettings, LocalPlatform, local_platform
from assay.errors import AssayError, Refusal
from assay.market import open_panel, simulate, write_dataset


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small market, stored."""
    made = tmp_path_factory.mktemp("market") / "small"
    write_dataset(simulate(3, instruments=50, days=800, name="small").data, made)
    return made


@pytest.fixture(scope="module")
def platform(folder: Path) -> Iterator[LocalPlatform]:
    with local_platform(None, open_panel(folder)) as made:
        assert isinstance(made, LocalPlatform)
        yield made


def run(platform: LocalPlatform, *codes: str) -> Simulation:
    settings = platform.default_settings()
    location = platform.start([SimulationRequest(regular=code, settings=settings) for code in codes])
    while isinstance(found := platform.poll(location), Running):
        platform.wait(found.retry_after)
    return found


def test_from_sign_in_to_figures(platform: LocalPlatform) -> None:
    assert platform.session() is not None or platform.login().user
    found = run(platform, "rank(-ts_delta(close, 5))")
    assert found.status == "COMPLETE"
    assert found.alpha is not None
    alpha = platform.alpha(found.alpha)
    assert alpha.in_sample is not None
    assert alpha.in_sample.sharpe is not None
    checks = platform.check(found.alpha)
    assert not [check.name for check in checks if check.result == "PENDING"]
    assert platform.recordset(found.alpha, "daily-pnl").columns[0].type == "date"
    assert platform.correlations(found.alpha).kind == "self"
    assert found.alpha in [one.id for one in platform.user_alphas(status="UNSUBMITTED")]


def test_an_error_of_the_expression_has_its_place(platform: LocalPlatform) -> None:
    found = run(platform, "rank(no_such_field)")
    assert found.status == "ERROR"
    assert "no_such_field" in (found.message or "")
    assert isinstance(found.location, Place)
    assert found.location.start == 5


def test_fields_and_operators_are_listed(platform: LocalPlatform) -> None:
    names = {one.id for one in platform.data_fields()}
    assert "close" in names
    assert {one.name for one in platform.operators()} >= {"rank", "ts_delta"}
    (data_set, *_) = platform.data_sets()
    assert platform.data_fields(data_set.id)


def test_slots_are_full_and_become_free(platform: LocalPlatform) -> None:
    settings = platform.default_settings()

    def start(number: int) -> str:
        return platform.start(
            [SimulationRequest(regular=f"rank(ts_mean(close, {number}))", settings=settings)]
        )

    going = [start(number) for number in range(3, 3 + platform.slots)]
    with pytest.raises(SlotsFull):
        start(20)
    for location in going:
        while isinstance(found := platform.poll(location), Running):
            platform.wait(found.retry_after)
    assert run(platform, "rank(ts_mean(close, 20))").status == "COMPLETE"


def test_what_fails_its_checks_is_not_submitted(platform: LocalPlatform) -> None:
    found = run(platform, "rank(ts_delta(close, 1))")
    assert found.alpha is not None
    failing = [check.name for check in platform.check(found.alpha) if check.result == "FAIL"]
    assert failing
    with pytest.raises(Refusal) as caught:
        platform.submit(found.alpha)
    assert caught.value.reason.code == "not_submitted"
    assert {one["name"] for one in caught.value.details["checks"]} == set(failing)


def figures(platform: LocalPlatform, codes: list[str]) -> dict[str, float | None]:
    settings = platform.default_settings()
    found: dict[str, float | None] = {}

    def hear(place: int, came: tuple[Simulation, ...] | AssayError) -> None:
        assert not isinstance(came, AssayError), came
        (one,) = came
        assert one.alpha is not None
        found[codes[place]] = one.alpha

    platform.simulate_all([[SimulationRequest(regular=code, settings=settings)] for code in codes], hear)
    return {
        code: stats.sharpe if (stats := platform.alpha(str(name)).in_sample) else None
        for code, name in found.items()
    }


def test_faults_change_no_figure(folder: Path) -> None:
    """5% of 5xx, lost replies, stale sessions, storms of 429, and a session that ends every 40 requests."""
    codes = [f"rank(ts_mean(close, {days}) / close)" for days in range(2, 22)]
    panel = open_panel(folder)
    with local_platform(None, panel) as clean:
        wanted = figures(clean, codes)
    faults = FaultSettings(error=0.05, drop=0.03, stale=0.03, throttle=0.03, seed=4)
    with local_platform(None, panel, faults=faults, session_requests=40) as faulty:
        assert figures(faulty, codes) == wanted
    assert len(set(wanted.values())) > 10
