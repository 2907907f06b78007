from __future__ import annotations

from typing import Any

from assay.base import SystemClock
from assay.brain import SimulationSettings
from assay.brain.templates import Inventory, Pipeline, Template, pick, report_data
from assay.config import BrainPipelineSettings

from ..fakes import Catalogue
from .runners import Figures, Scripted

INVENTORY = Inventory.of(Catalogue())


def template(**changes: Any) -> Template:
    fields = {"source": "values", "values": ["close", "open", "volume"]}
    windows = {"source": "values", "values": [5, 10, 20, 60], "representative_values": [10]}
    given = {
        "name": "TPL_MEAN_V1",
        "expression": "ts_mean({x}, {d})",
        "slots": {"x": fields, "d": windows},
        "core_slots": ["x"],
    }
    return Template.model_validate({**given, **changes})


def pipeline(figures: Figures, *templates: Template, simulations: int = 100, **more: Any) -> Pipeline:
    settings = BrainPipelineSettings(simulations=simulations)
    return Pipeline(templates or (template(),), INVENTORY, Scripted(figures), settings, **more)


def by_field(**sharpes: float | str | None) -> Figures:
    def figures(text: str) -> float | str | None:
        sign = -1.0 if text.startswith("-") else 1.0
        (found,) = [value for name, value in sharpes.items() if name in text]
        return sign * found if isinstance(found, float) else found

    return figures


def ran(made: Pipeline) -> list[list[str]]:
    assert isinstance(made.runner, Scripted)
    return made.runner.batches


def test_cores_are_probed_first_and_the_good_ones_expanded() -> None:
    made = pipeline(by_field(close=1.4, open=0.7, volume=0.1))
    report = made.run()
    probes, expansions = ran(made)
    assert probes == ["ts_mean(close, 10)", "ts_mean(open, 10)", "ts_mean(volume, 10)"]
    assert expansions == ["ts_mean(close, 5)", "ts_mean(close, 20)", "ts_mean(close, 60)"]
    assert [(item.core, item.verdict, item.expanded) for item in report.decisions] == [
        ("TPL_MEAN_V1|x=close", "EXPAND", 3),
        ("TPL_MEAN_V1|x=open", "WATCH", 0),
        ("TPL_MEAN_V1|x=volume", "ABANDON", 0),
    ]
    assert report.best is not None
    assert {result.proposal.origin for result in report.results} == {"probe", "expansion"}


def test_the_most_promising_core_goes_first_and_cores_take_turns() -> None:
    made = pipeline(by_field(close=1.1, open=1.9, volume=0.1), simulations=6)
    made.run()
    assert ran(made)[1] == ["ts_mean(open, 5)", "ts_mean(close, 5)", "ts_mean(open, 20)"]


def test_a_core_that_is_negative_throughout_is_expanded_turned_round() -> None:
    made = pipeline(by_field(close=-1.4, open=0.1, volume=0.1))
    report = made.run()
    assert ran(made)[1] == [
        "-ts_mean(close, 10)", "-ts_mean(close, 5)", "-ts_mean(close, 20)", "-ts_mean(close, 60)",
    ]  # fmt: skip
    assert report.decisions[0].flipped
    assert report.decisions[0].best == 1.4


def test_a_program_is_turned_round_as_a_whole() -> None:
    source = template(expression="a = ts_mean({x}, {d}); a - ts_delay(a, 1)")
    made = pipeline(lambda text: -1.4 if text.startswith("a") else 1.4, source)
    made.run()
    turned = ran(made)[1]
    assert len(turned) == 12
    assert all(INVENTORY.problem(text) is None and "; -(a - " in text for text in turned)


def test_no_more_is_simulated_than_the_budget_has() -> None:
    for budget in range(1, 14):
        made = pipeline(by_field(close=1.4, open=1.3, volume=1.2), simulations=budget)
        report = made.run()
        planned = made.planned()
        assert len(report.results) <= budget
        assert planned.probes <= max(1, budget // 2)
        assert (planned.cores, planned.combinations, planned.budget) == (3, 12, budget)
    assert len(report.results) == 12


def test_cores_beyond_the_budget_are_told_of() -> None:
    report = pipeline(by_field(close=1.4, open=1.3, volume=1.2), simulations=4).run()
    assert [(item.verdict, item.probes) for item in report.decisions] == [
        ("EXPAND", 1), ("EXPAND", 1), ("WATCH", 0),
    ]  # fmt: skip
    assert report.decisions[2].reason == "not probed: the budget was too small"


def test_what_expansion_leaves_of_the_budget_goes_into_further_cores() -> None:
    made = pipeline(by_field(close=0.1, open=0.2, volume=1.4), simulations=5)
    report = made.run()
    assert ran(made) == [
        ["ts_mean(close, 10)", "ts_mean(open, 10)"],
        ["ts_mean(volume, 10)"],
        ["ts_mean(volume, 5)", "ts_mean(volume, 20)"],
    ]
    assert len(report.results) == 5


def test_what_was_expanded_is_not_expanded_again() -> None:
    made = pipeline(by_field(close=-1.4, open=0.1, volume=1.9), simulations=9)
    made.run()
    texts = [text for batch in ran(made) for text in batch]
    assert len(texts) == len(set(texts)) == 9


def test_a_core_whose_probes_fail_does_not_vanish() -> None:
    report = pipeline(by_field(close='unknown variable "close"', open=None, volume=0.1)).run()
    assert [(item.verdict, item.reason) for item in report.decisions[:2]] == [
        ("ABANDON", 'all probes failed: unknown variable "close"'),
        ("WATCH", "not probed"),
    ]


def test_a_core_without_a_valid_probe_is_told_of() -> None:
    fields = {"source": "values", "values": ["close", "nonsense"]}
    slots = {"x": fields, "d": {"source": "values", "values": [5, 10]}}
    report = pipeline(lambda text: 0.1, template(slots=slots)).run()
    assert [item.verdict for item in report.decisions] == ["ABANDON", "ABANDON"]
    assert "cannot be simulated here" in report.decisions[1].reason


def test_nothing_is_simulated_twice() -> None:
    twin = template(name="TPL_TWIN_V1")
    made = pipeline(by_field(close=1.4, open=1.3, volume=-1.2), template(), twin)
    report = made.run()
    runner = made.runner
    assert isinstance(runner, Scripted)
    assert len(runner.ran) == len(set(runner.ran)) == len(report.results)


def test_templates_take_turns() -> None:
    other = template(name="TPL_RANK_V1", expression="ts_rank({x}, {d})")
    made = pipeline(lambda text: 0.1, template(), other)
    made.run()
    assert ran(made)[0][:3] == ["ts_mean(close, 10)", "ts_rank(close, 10)", "ts_mean(open, 10)"]


def test_equal_runs_ask_for_the_same() -> None:
    names = pick(["TPL_MOMENTUM", "TPL_VOLUME"])
    one, other = (pipeline(lambda text: len(text) / 20 - 1.5, *names) for _ in range(2))
    assert one.run() == other.run()
    assert ran(one) == ran(other)


def test_a_template_may_have_settings_of_its_own() -> None:
    base = SimulationSettings(decay=3, universe="TOP500")
    made = pipeline(lambda text: 0.1, template(settings={"decay": 0, "neutralization": "SECTOR"}), base=base)
    settings = made.run().results[0].proposal.request.settings
    assert (settings.decay, settings.neutralization, settings.universe) == (0, "SECTOR", "TOP500")


def test_a_watcher_is_told_before_each_batch() -> None:
    told: list[tuple[str, int]] = []
    made = pipeline(
        by_field(close=1.4, open=0.7, volume=0.1), watch=lambda phase, items: told.append((phase, len(items)))
    )
    made.run()
    assert told == [("probe", 3), ("expand", 3)]


def test_the_report_is_json_with_one_set_of_thresholds() -> None:
    report = pipeline(by_field(close=1.4, open="no", volume=0.1)).run()
    data = report_data(report, SystemClock())
    assert list(data) == ["generated_at", "thresholds", "summary", "decisions", "best"]
    assert data["thresholds"]["expand_sharpe"] == 1.0
    assert data["summary"] == {
        "templates": 1, "cores": 3, "probed": 3, "probes": 3, "combinations": 12, "budget": 100,
        "simulations": 6, "completed": 5, "failed": 1, "expand": 1, "watch": 0, "abandon": 2,
    }  # fmt: skip
    assert data["best"]["expression"].startswith("ts_mean(close")
