from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.config import BrainSettings, parse_config
from assay.errors import ConfigProblems


def settings(text: str) -> BrainSettings:
    return parse_config(text, root=Path("w")).brain


def test_without_a_table_the_defaults_hold() -> None:
    assert settings("") == BrainSettings()


def test_an_empty_table_has_the_same_defaults() -> None:
    assert settings("[brain]\n[brain.client]\n[brain.simulator]\n[brain.agent]\n") == BrainSettings()


def test_what_is_set_is_taken() -> None:
    found = settings(
        '[brain]\nweb_hosts = ["arxiv.org"]\n'
        '[brain.client]\nbase_url = "http://127.0.0.1:8003"\nconcurrent = 8\n'
        '[brain.simulator]\nlevel = "consultant"\n'
        'order = ["pasteurize", "truncate", "decay", "neutralize", "scale"]\n'
        "[brain.agent]\nsimulations = 40\n"
    )
    assert found.web_hosts == ("arxiv.org",)
    assert (found.client.base_url, found.client.concurrent) == ("http://127.0.0.1:8003", 8)
    assert found.simulator.level == "consultant"
    assert found.simulator.order[1] == "truncate"
    assert found.agent.simulations == 40


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[brain.agent]\nsimulation = 4\n", "brain.agent.simulation"),
        ("[brain.agent]\nslots = 0\n", "brain.agent.slots"),
        ('[brain.client]\nbase_url = "http://example.com"\n', "brain.client.base_url"),
        ('[brain.client]\npassword = "x"\n', "brain.client.password"),
        ('[brain.simulator]\nlevel = "guru"\n', "brain.simulator.level"),
        (
            '[brain.simulator]\norder = ["scale", "scale", "decay", "truncate", "neutralize"]\n',
            "brain.simulator.order",
        ),
    ],
)
def test_what_cannot_be_is_named(text: str, where: str) -> None:
    with pytest.raises(ConfigProblems) as caught:
        settings(text)
    assert [problem.where for problem in caught.value.problems] == [where]
    assert caught.value.problems[0].fix


def test_the_fields_of_the_tables_are_those_of_the_settings() -> None:
    from dataclasses import fields

    from assay.config._brain_models import BrainTable

    made: Any = BrainSettings()
    for name in ("client", "simulator", "agent", "pipeline", "multi"):
        table: Any = BrainTable.model_fields[name].annotation
        assert set(table.model_fields) == {item.name for item in fields(type(getattr(made, name)))}
