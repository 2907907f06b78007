"""The error boundary: each kind of error becomes one message and one exit code."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from assay.cli import _main
from assay.errors import (
    AssayError,
    ConfigProblems,
    DataError,
    ExpressionError,
    Problem,
    ProviderTransient,
    Reason,
    Refusal,
    Span,
)

REASON = Reason("no_such_thing", "there is no such thing", "name another")


def _app(error: BaseException | int) -> Callable[[], typer.Typer]:
    def build() -> typer.Typer:
        app = typer.Typer(rich_markup_mode=None, add_completion=False)

        @app.command()
        def act(count: int = 1, as_json: bool = typer.Option(False, "--json")) -> int:
            if isinstance(error, int):
                return error
            raise error

        @app.command()
        def other() -> None: ...

        return app

    return build


def _run(monkeypatch: pytest.MonkeyPatch, error: BaseException | int, *arguments: str) -> int:
    monkeypatch.setattr(_main, "build_app", _app(error))
    return _main.main(["act", *arguments])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AssayError("a"), 2),
        (DataError("a"), 2),
        (Refusal(REASON), 2),
        (ConfigProblems([Problem("a.b", "is wrong", "mend it")]), 2),
        (ProviderTransient("a"), 3),
        (RuntimeError("a"), 70),
        (RecursionError(), 70),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
        (typer.Exit(1), 1),
        (0, 0),
        (1, 1),
    ],
)
def test_exit_codes(monkeypatch: pytest.MonkeyPatch, error: BaseException | int, code: int) -> None:
    assert _run(monkeypatch, error) == code


def test_message_says_what_where_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(monkeypatch, DataError("the file is torn", where="a.csv, line 3", fix="copy it again"))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "error: the file is torn",
        "  where: a.csv, line 3",
        "  what to do: copy it again",
    ]


def test_formula_errors_point_at_the_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ExpressionError(
        REASON,
        "no op is named 'rnk'",
        span=Span(0, 3, 1, 1),
        text="rnk(close)",
        expected=["an op"],
        suggestions=["rank"],
    )
    _run(monkeypatch, error)
    err = capsys.readouterr().err
    assert "  rnk(close)\n  ^^^\n" in err
    assert "where: line 1, column 1" in err
    assert "did you mean: rank" in err
    assert "expected: an op" in err


@pytest.mark.parametrize("error", [DataError("a", where="b"), Refusal(REASON), RuntimeError("odd")])
def test_json_errors_are_json_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    _run(monkeypatch, error, "--json")
    out, err = capsys.readouterr()
    assert {"error", "message", "where", "fix"} <= json.loads(out).keys()
    assert err == ""


def test_usage_errors_are_json_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, 0, "--json", "--count", "many") == 2
    found = json.loads(capsys.readouterr().out)
    assert "--count" in found["message"]
    assert "assay act --help" in found["fix"]


def test_unknown_option_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, 0, "--colour") == 2
    err = capsys.readouterr().err
    assert "--colour" in err
    assert "see 'assay act --help'" in err


def test_a_bug_is_called_one_and_hides_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    _run(monkeypatch, ZeroDivisionError("division by zero"))
    err = capsys.readouterr().err
    assert "internal error: ZeroDivisionError: division by zero" in err
    assert "ASSAY_DEBUG=1" in err
    assert "Traceback" not in err


def test_debug_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    assert _run(monkeypatch, ZeroDivisionError()) == 70
    assert "Traceback" in capsys.readouterr().err


def test_messages_cannot_steer_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(monkeypatch, DataError("a\x1b[2Jb", where="c\x07"))
    assert "\x1b" not in capsys.readouterr().err


def _assay(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; from assay.cli import main; sys.exit(main())", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_no_arguments_show_help() -> None:
    done = _assay()
    assert done.returncode == 0
    for name in ("demo", "data", "judge", "parse", "check", "explain", "convert", "init", "library"):
        assert f"\n  {name}" in done.stdout


def test_version() -> None:
    from assay import __version__

    assert _assay("--version").stdout.strip() == f"assay {__version__}"


def test_help_loads_no_numeric_library() -> None:
    code = (
        "import sys; from assay.cli import main; main(['--help'])\n"
        "slow = {'numpy', 'pandas', 'polars', 'numba', 'rich', 'pydantic', 'jinja2'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", ["library list --json", "library list alpha158"])
def test_a_closed_reader_is_no_error(arguments: str) -> None:
    program = "import sys; from assay.cli import main; sys.exit(main())"
    script = f"{sys.executable} -c '{program}' {arguments} | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 141)
    assert done.stderr == ""


@pytest.mark.parametrize("kind", [FileNotFoundError, PermissionError, OSError])
def test_what_the_system_refuses_is_not_called_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: type[OSError]
) -> None:
    error = kind(errno.ENAMETOOLONG, "File name too long", "some/path")
    assert _run(monkeypatch, error, "--json") == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["message"], found["where"]) == ("File name too long", "some/path")
    assert "permissions" in found["fix"]


def test_an_error_of_the_system_without_a_path_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(monkeypatch, OSError("who knows")) == 70


def test_messages_are_not_endless(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(monkeypatch, AssayError("x" * 100_000 + "\n  second line", fix="y" * 100_000))
    told = capsys.readouterr().err
    assert len(told) < 3000
    assert "second line" in told


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["parse close", "parse close --json", "--help", "library list --json"])
def test_output_that_cannot_be_written_is_one_error(arguments: str) -> None:
    program = f"{sys.executable} -c 'import sys; from assay.cli import main; sys.exit(main())' {arguments}"
    done = subprocess.run(f"{program} > /dev/full", shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: No space left on device\n  where: standard output")
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(("arguments", "code"), [("parse close", 0), ("parse rank\\(", 2)])
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_do_not_matter(arguments: str, code: int, closed: str) -> None:
    program = f"{sys.executable} -c 'import sys; from assay.cli import main; sys.exit(main())' {arguments}"
    done = subprocess.run(f"{program} {closed}", shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_current_folder_that_was_removed(tmp_path: Path) -> None:
    program = f"{sys.executable} -c 'import sys; from assay.cli import main; sys.exit(main())' data list"
    done = subprocess.run(
        f"mkdir gone && cd gone && rmdir ../gone && {program}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: the current folder no longer exists")
