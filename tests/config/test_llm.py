from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from assay.config import (
    LLM_ROLES,
    BackendSettings,
    LlmLimits,
    LlmSettings,
    Price,
    RoleSettings,
    json_schema,
    parse_config,
    reference_markdown,
)
from assay.errors import ConfigProblems, Problem

GOOD = """
[llm.backends.deepseek]
kind = "openai"
base_url = "https://api.deepseek.com/v1"
key = "DEEPSEEK_API_KEY"
model = "deepseek-chat"
timeout = 60
stream = true
retries = 2

[llm.backends.local]
kind = "openai"
base_url = "http://127.0.0.1:8000/v1"

[llm.backends.rules]
kind = "rules"

[llm.roles.proposer]
backend = "deepseek"
temperature = 0.7
parameters = {seed = 7, response_format = {type = "json_object"}}

[llm.roles.reviewer]
backend = "local"
model = "qwen3-4b"
max_tokens = 512
structured = "tool"
parameters = {temperature = 0}

[llm.roles.evolver]
backend = "local"
model = "gpt-5"
parameters = {max_completion_tokens = 100}

[llm.roles.extractor]
backend = "rules"

[llm.budget]
calls = 10
money = 2.5

[llm.prices.deepseek-chat]
input = 0.28
output = 0.42
cached_input = 0.028

[llm.prices."qwen3-4b"]
input = 0
output = 0

[llm.prices.gpt-5]
input = 1
output = 10
"""


def problems_of(text: str) -> dict[str, Problem]:
    with pytest.raises(ConfigProblems) as caught:
        parse_config(text, root=Path("/nowhere"))
    return {problem.where: problem for problem in caught.value.problems}


def backend(**keys: object) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in {"kind": "openai", **keys}.items()]
    return "\n".join(["[llm.backends.one]", *lines, ""])


def test_a_good_file_gives_settings_with_defaults_filled_in(tmp_path: Path) -> None:
    llm = parse_config(GOOD, root=tmp_path).llm
    assert llm.backends["deepseek"] == BackendSettings(
        "deepseek",
        "openai",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
        "deepseek-chat",
        timeout=60.0,
        stream=True,
        retries=2,
    )
    assert llm.backends["local"].key is None
    assert llm.roles["proposer"] == RoleSettings(
        "deepseek",
        "deepseek-chat",
        {"temperature": 0.7, "max_tokens": 4096, "seed": 7, "response_format": {"type": "json_object"}},
    )
    assert llm.roles["reviewer"] == RoleSettings(
        "local", "qwen3-4b", {"max_tokens": 512, "temperature": 0}, "tool"
    )
    assert llm.roles["evolver"].parameters == {"max_completion_tokens": 100}
    assert llm.roles["extractor"].model == ""
    assert llm.limits == LlmLimits(calls=10, money=2.5)
    assert llm.prices["deepseek-chat"] == Price(0.28, 0.42, 0.028)
    assert llm.prices["gpt-5"].cached == 1.0, "without a price of its own, cached input costs as other input"


def test_no_table_is_needed(tmp_path: Path) -> None:
    assert parse_config("", root=tmp_path).llm == LlmSettings()
    assert parse_config("[llm]", root=tmp_path).llm == LlmSettings()


def test_every_problem_is_reported_at_once() -> None:
    found = problems_of(
        """
        [llm]
        bugdet = 1
        [llm.backends.Big]
        kind = "openia"
        [llm.backends.one]
        kind = "openai"
        timeout = 0
        base_ur = "https://x"
        [llm.backends.log]
        kind = "replay"
        [llm.backends.story]
        kind = "scripted"
        key = "STORY_KEY"
        run = "r-1"
        script = "a.json"
        [llm.roles.planer]
        backend = "one"
        [llm.roles.proposer]
        backend = "on"
        temperature = 3
        [llm.roles.reviewer]
        backend = "one"
        [llm.roles.evolver]
        backend = "one"
        model = "gpt-4.1"
        [llm.budget]
        money = -1
        token = 5
        [llm.prices."gpt-4o.1"]
        input = 1
        """
    )
    assert {where: problem.fix for where, problem in found.items()} == {
        "llm.bugdet": "did you mean 'budget'?",
        "llm.backends.Big": "use a-z, 0-9, '_' and '-'",
        "llm.backends.Big.kind": (
            "input should be 'openai', 'anthropic', 'replay', 'scripted', 'rules' or 'sampler'"
        ),
        "llm.backends.one.timeout": "input should be greater than 0",
        "llm.backends.one.base_ur": "did you mean 'base_url'?",
        "llm.backends.one.key": "name the variable that holds the key, or set base_url for another server",
        "llm.backends.log.run": "add it",
        "llm.backends.story.key": "take it out",
        "llm.backends.story.run": "it is for kind 'replay'",
        "llm.roles.planer": "did you mean 'planner'?",
        "llm.roles.planer.model": "name it here or in [llm.backends.one]",
        "llm.roles.proposer.backend": "did you mean 'one'?",
        "llm.roles.proposer.temperature": "input should be less than or equal to 2",
        "llm.roles.reviewer.model": "name it here or in [llm.backends.one]",
        "llm.budget.money": "input should be greater than or equal to 0",
        "llm.budget.token": "set it in the environment or in .env",
        'llm.prices."gpt-4.1"': "add its prices for a million tokens; 0 is fine for a local model",
        'llm.prices."gpt-4o.1".output': "add it",
    }


def test_numbers_beyond_all_measure_are_refused() -> None:
    found = problems_of(
        "[llm.budget]\nmoney = inf\ncalls = 1" + "0" * 30 + "\n[llm.prices.x]\ninput = nan\noutput = 1e300"
    )
    assert {where: problem.fix.partition(" than")[0] for where, problem in found.items()} == {
        "llm.budget.money": "input should be a finite number",
        "llm.budget.calls": "input should be less",
        "llm.prices.x.input": "input should be a finite number",
        "llm.prices.x.output": "input should be less",
    }


def test_a_model_without_a_price_is_named_where_a_money_budget_is_set() -> None:
    text = GOOD.replace("[llm.prices.gpt-5]", "[llm.prices.gpt-6]")
    (problem,) = problems_of(text).values()
    assert problem.where == 'llm.prices."gpt-5"'
    assert "llm.roles.evolver uses this model" in problem.message
    parse_config(text.replace("money = 2.5", ""), root=Path("/nowhere"))


@pytest.mark.parametrize(
    "url",
    ["https://api.openai.com/v1", "http://127.0.0.1:8000", "http://[::1]:1/v1", "http://localhost:11434/v1"],
)
def test_an_address_that_keys_may_be_sent_to(url: str) -> None:
    settings = parse_config(backend(base_url=url), root=Path("/nowhere")).llm
    assert settings.backends["one"].base_url == url


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("http://api.openai.com/v1", "in the clear"),
        ("http://169.254.169.254/latest", "in the clear"),
        ("http://0.0.0.0:8000", "in the clear"),
        ("http://127.0.0.1.evil.example/v1", "in the clear"),
        ("http://localhost.example", "in the clear"),
        ("https://user:canary@host/v1", "credentials"),
        ("https://canary@host/v1", "credentials"),
        ("https://host/v1?key=canary", "query"),
        ("https://host/#canary", "fragment"),
        ("file:///etc/canary", "http(s) address"),
        ("ftp://host", "http(s) address"),
        ("host/v1", "http(s) address"),
        ("https://", "http(s) address"),
        ("", "http(s) address"),
        ("https://host/\n", "http(s) address"),
        (" https://host", "http(s) address"),
        ("https://[::1", "not an address"),
        ("https://host:99999", "not an address"),
        (5, "not text"),
    ],
)
def test_an_address_that_they_may_not(url: object, what: str) -> None:
    (problem,) = problems_of(backend(base_url=url, key="ONE_KEY")).values()
    assert problem.where == "llm.backends.one.base_url"
    assert what in problem.message
    assert "canary" not in str(problem)


@pytest.mark.parametrize(
    "key", ["sk-canary-0123456789abcdef", "canary", "MY KEY", "", 5, "CANARY-KEY", "HOME"]
)
def test_a_key_in_place_of_its_name_is_refused_and_not_repeated(key: object) -> None:
    with pytest.raises(ConfigProblems) as caught:
        parse_config(backend(key=key), root=Path("/nowhere"))
    assert [problem.where for problem in caught.value.problems] == ["llm.backends.one.key"]
    assert "canary" not in json.dumps(caught.value.as_dict()).lower()


@pytest.mark.parametrize("name", ["api_key", "apikey", "token", "secret"])
def test_a_secret_under_another_name_is_refused_and_not_repeated(name: str) -> None:
    problem = problems_of(backend(key="ONE_KEY", **{name: "sk-canary"}))[f"llm.backends.one.{name}"]
    assert problem.fix == "set it in the environment or in .env"
    assert "canary" not in str(problem)


def test_a_parameter_is_json() -> None:
    text = (
        backend(key="ONE_KEY", model="m")
        + "[llm.roles.planner]\nbackend = 'one'\nparameters = {a = 2020-01-01}"
    )
    assert [*problems_of(text)] == ["llm.roles.planner.parameters.a"]


def test_each_role_is_described_on_the_page_and_in_the_schema() -> None:
    page = reference_markdown()
    assert all(f"| `{name}` | {text} |" in page for name, text in LLM_ROLES.items())
    schema = json_schema()
    good = {"llm": {"roles": {name: {"backend": "one"} for name in LLM_ROLES}}}
    jsonschema.validate(good, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"llm": {"roles": {"planer": {"backend": "one"}}}}, schema)


def test_a_file_without_models_does_not_load_their_tables() -> None:
    code = (
        "import sys; from pathlib import Path; from assay.config import parse_config\n"
        "parse_config('[defaults]', root=Path('/nowhere'))\n"
        "print('assay.config._llm_models' in sys.modules)\n"
        "parse_config('[llm]', root=Path('/nowhere'))\n"
        "print('assay.config._llm_models' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
