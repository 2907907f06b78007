from __future__ import annotations

import base64
import copy
import json
import pickle
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from assay.config import Secret, load_secrets, read_dotenv, redact
from assay.errors import ConfigProblems

CANARY = 'ca"na/ry+42!'


class Login(BaseModel):
    user: str
    key: Secret


def test_a_secret_shows_itself_only_when_asked() -> None:
    secret = Secret(CANARY)
    assert secret.reveal() == CANARY
    shown = [repr(secret), str(secret), f"{secret}", f"{secret:>20}", repr({"k": secret})]
    assert not any(CANARY in text for text in shown)
    assert copy.deepcopy(secret) is secret
    assert copy.copy(secret) is secret


def test_a_secret_is_masked_in_json() -> None:
    login = Login.model_validate({"user": "a", "key": CANARY})
    assert login.key.reveal() == CANARY
    assert json.loads(login.model_dump_json()) == {"user": "a", "key": "[redacted]"}
    assert Login(user="a", key=Secret(CANARY)) == login
    with pytest.raises(TypeError):
        json.dumps({"key": Secret(CANARY)})
    with pytest.raises(TypeError):
        pickle.dumps(Secret(CANARY))


def test_secrets_compare_by_value() -> None:
    assert Secret("one") == Secret("one")
    assert Secret("one") != Secret("two")
    assert Secret("one") != "one"
    assert len({Secret("one"), Secret("one")}) == 1
    assert not Secret("")


def test_a_dotenv_file_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "# keys\n\nA=plain # note\nexport B = 'with # inside'\nC=\"x y\" # note\nD=\nE=a#b\n"
    )
    found = {name: secret.reveal() for name, secret in read_dotenv(tmp_path / ".env").items()}
    assert found == {"A": "plain", "B": "with # inside", "C": "x y", "D": "", "E": "a#b"}


def test_bad_lines_are_named_by_number_and_not_quoted(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\ncanary\nB='canary\n")
    with pytest.raises(ConfigProblems) as caught:
        read_dotenv(tmp_path / ".env")
    assert [problem.where for problem in caught.value.problems] == ["line 2", "line 3"]
    assert "canary" not in str(caught.value)


def test_a_dotenv_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe")
    with pytest.raises(ConfigProblems, match="UTF-8"):
        read_dotenv(tmp_path / ".env")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MODEL_KEY=file\nPLAIN=file\nOTHER=file\n")
    found = load_secrets(tmp_path, environ={"MODEL_KEY": "env", "PLAIN": "env", "HOME": "/x", "A_TOKEN": "t"})
    assert {name: s.reveal() for name, s in found.items()} == {
        "MODEL_KEY": "env",
        "PLAIN": "env",
        "OTHER": "file",
        "A_TOKEN": "t",
    }


def test_without_a_file_only_the_environment_speaks(tmp_path: Path) -> None:
    assert load_secrets(tmp_path, environ={"X_API_KEY": "v", "PATH": "/bin"}) == {"X_API_KEY": Secret("v")}
    named = load_secrets(tmp_path, environ={"A_USERNAME": "u", "PATH": "/bin"}, names=("A_USERNAME",))
    assert named == {"A_USERNAME": Secret("u")}


def test_redact_masks_every_form_of_a_secret() -> None:
    forms = [CANARY, json.dumps(CANARY), quote(CANARY, safe=""), base64.b64encode(CANARY.encode()).decode()]
    for form in forms:
        assert "[redacted]" in redact(f"before {form} after", [Secret(CANARY)])
        assert form.strip('"') not in redact(f"before {form} after", [Secret(CANARY)])


def test_redact_knows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_VENDOR_TOKEN", "hush-hush-value")
    assert redact("got hush-hush-value back") == "got [redacted] back"


@pytest.mark.parametrize(
    "text",
    [
        "key sk-abcdefghijklmnopqrstuv used",
        "Authorization: Bearer abcdefgh12345678",
        "Authorization: Basic dXNlcjpwYXNz",
        "GET https://host/path?api_key=abc123&x=1",
        "https://user:pa55word@host/",
        "AKIAABCDEFGHIJKLMNOP",
    ],
)
def test_redact_knows_the_shapes_of_keys(text: str) -> None:
    assert "[redacted]" in redact(text, [])


@pytest.mark.parametrize("text", ["rank(-ts_corr(close, volume, 10))", "task-force is at https://host/a?b=c"])
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text, [Secret("1"), Secret("true")]) == text


@given(st.text(min_size=6), st.text(), st.text())
def test_no_text_around_a_secret_brings_it_back(value: str, before: str, after: str) -> None:
    if value not in "[redacted]":
        cleaned = redact(before + value + after, [Secret(value)])
        assert value not in cleaned.replace("[redacted]", "\0")
