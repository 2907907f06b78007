"""What ``assay doctor`` looks at. Nothing here writes, compiles, or imports what is only to be counted."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._doctor_desks import book, knowledge, notes, open_without_writing
from assay.cli._doctor_finding import Finding
from assay.cli._workspace import has_ledger
from assay.errors import AssayError, ConfigProblems, DataError

if TYPE_CHECKING:
    from assay.config import Secret, Workspace
    from assay.ledger import Ledger
    from assay.market import Panel

_DISTRIBUTION = "alpha-assay"
_OLDEST_PYTHON = (3, 11)
_FOR_DEVELOPERS = frozenset({"bench", "dev", "docs"})
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?([^;]*)(?:;.*extra\s*==\s*['\"]([^'\"]+)['\"])?")
_LEAST_SPACE = 2 * 2**30
_PATIENCE = 5.0
_SERVICES = ("openai", "anthropic")
_RECORDINGS = ("replay", "scripted")
_KEYS = ("DEEPSEEK_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DASHSCOPE_API_KEY")


def examine(*, network: bool) -> Iterator[Finding]:
    """Every finding, in the order of looking."""
    from assay.config import find_workspace

    yield _python()
    yield from _packages()
    try:
        workspace = find_workspace()
    except ConfigProblems as error:
        yield from _kernel_cache()
        for problem in error.problems:
            yield Finding("settings", "problem", f"{problem.where}: {problem.message}", problem.fix or None)
        return
    yield _disk(Path.cwd() if workspace is None else workspace.root)
    yield from _kernel_cache()
    if workspace is None:
        yield Finding(
            "workspace", "note", "the current folder lies in none", "change to one, or make one: assay init"
        )
        return
    yield Finding("settings", "good", str(workspace.config_path))
    yield from _data(workspace)
    yield from _ledger(workspace)
    yield from notes(workspace)
    yield from book(workspace)
    yield from knowledge(workspace)
    yield from _models(workspace, network=network)


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < _OLDEST_PYTHON:
        wanted = ".".join(map(str, _OLDEST_PYTHON))
        return Finding("python", "problem", found, f"install Assay under Python {wanted} or later")
    return Finding("python", "good", found)


def _packages() -> Iterator[Finding]:
    """The declared dependencies against what is installed, by extra."""
    wanted: dict[str, list[tuple[str, str]]] = {}
    for text in metadata.requires(_DISTRIBUTION) or ():
        match = _REQUIREMENT.match(text)
        if match is not None:
            wanted.setdefault(match[3] or "", []).append((match[1], match[2].strip()))
    versions = {name: _version(name) for packages in wanted.values() for name, _ in packages}
    core = wanted.pop("", [])
    lacking = [f"{name}{bound}" for name, bound in core if not _satisfied(versions[name], bound)]
    own = metadata.version(_DISTRIBUTION)
    if lacking:
        fix = f"pip install --upgrade {_DISTRIBUTION}"
        yield Finding("packages", "problem", f"Assay {own} lacks {', '.join(lacking)}", fix)
    else:
        listed = ", ".join(f"{name} {versions[name]}" for name, _ in core)
        yield Finding("packages", "good", f"Assay {own}; {listed}")
    for extra in sorted(wanted.keys() - _FOR_DEVELOPERS):
        packages = wanted[extra]
        lacking = [f"{name}{bound}" for name, bound in packages if not _satisfied(versions[name], bound)]
        if lacking:
            fix = f"where it is needed: pip install '{_DISTRIBUTION}[{extra}]'"
            yield Finding(f"extra {extra}", "note", f"lacks {', '.join(lacking)}", fix)
        else:
            listed = ", ".join(f"{name} {versions[name]}" for name, _ in packages)
            yield Finding(f"extra {extra}", "good", listed)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _satisfied(found: str | None, bound: str) -> bool:
    """Whether a version is there and not older than ``>=`` says; other bounds are the installer's to hold."""
    least = re.search(r">=\s*([0-9.]+)", bound)
    return found is not None and (least is None or _numbers(found) >= _numbers(least[1]))


def _numbers(version: str) -> list[int]:
    leading = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return [int(part) for part in leading[0].split(".")] if leading else []


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    told = f"{free / 2**30:.1f} GiB free for {folder}"
    if not os.access(folder, os.W_OK):
        return Finding("disk", "problem", f"{folder} cannot be written to", "change its permissions")
    if free < _LEAST_SPACE:
        return Finding("disk", "problem", told, "make room: a ledger that cannot be written stops every run")
    return Finding("disk", "good", told)


def _kernel_cache() -> Iterator[Finding]:
    """Where compiled kernels go, tried in the order in which numba tries."""
    import assay.engine

    chosen = os.environ.get("NUMBA_CACHE_DIR")
    beside = Path(assay.engine.__file__).parent / "_kernels" / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numba"
    places = [Path(chosen)] if chosen else [beside, home]
    for place in places:
        if _can_be_written(place):
            yield Finding("kernels", "good", f"compiled once, kept in {place}")
            return
    yield Finding(
        "kernels",
        "problem",
        f"compiled anew in every process: {places[-1]} cannot be written to",
        "set NUMBA_CACHE_DIR to a folder that can",
    )


def _can_be_written(place: Path) -> bool:
    there = next(folder for folder in (place, *place.absolute().parents) if folder.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _data(workspace: Workspace) -> Iterator[Finding]:
    from assay.cli._dataset import MANIFEST, known_datasets
    from assay.market import open_panel

    stored = [name for name in known_datasets(workspace) if (workspace.data_dir / name / MANIFEST).is_file()]
    if not stored:
        yield Finding(
            "data", "note", f"none in {workspace.data_dir}", "assay data simulate, or assay data import"
        )
    for name in stored:
        folder = workspace.data_dir / name
        try:
            panel = open_panel(folder, check_hashes=True)
        except AssayError as error:
            yield Finding(f"data {name}", "problem", error.message, error.fix)
            continue
        days, instruments = panel.shape
        told = f"{days} dates x {instruments} instruments, as stored; its bars: assay data doctor {name}"
        yield Finding(f"data {name}", "good", told)
        yield _plan(workspace, name, panel)
    for name in sorted(set(workspace.data) - set(stored)):
        yield Finding(
            f"data {name}",
            "note",
            "assay.toml has a table for it, and no such data set is stored",
            "import it, or mend the name",
        )
    if workspace.default_data is not None and workspace.default_data not in stored:
        yield Finding(
            "settings",
            "problem",
            f"defaults.data names {workspace.default_data}, which is not stored",
            "import it, or name one of 'assay data list'",
        )


def _plan(workspace: Workspace, name: str, panel: Panel) -> Finding:
    from assay.cli._data_plan import plan_of_dataset
    from assay.judge import planned_kin

    shown = plan_of_dataset(workspace.data_dir / name, panel.manifest)
    if shown is None:
        kin = planned_kin(panel, workspace)
        if kin is not None:
            return Finding(f"periods {name}", "problem", kin.note(panel.name), kin.fix(panel.name))
        fix = f"before the first look, add [data.{name}.periods] to assay.toml"
        return Finding(f"periods {name}", "note", "no plan: all dates are open to everybody", fix)
    if shown.problem is not None:
        return Finding(f"periods {name}", "problem", shown.problem, "mend the plan in assay.toml")
    names = ", ".join(period for period, _ in shown.plan.periods())
    return Finding(f"periods {name}", "good", f"{names} fit the calendar of the data")


def _ledger(workspace: Workspace) -> Iterator[Finding]:
    from assay.ledger import refuse_lost

    try:
        refuse_lost(workspace)
        if not has_ledger(workspace):
            yield Finding("ledger", "note", "nothing is recorded yet", "judge a factor: that makes it")
            return
        ledger = open_without_writing(workspace.ledger_dir)
        verified = ledger.verify()
        running = _open_runs(ledger)
        moved = _moved_plans(ledger, workspace)
    except AssayError as error:
        yield Finding("ledger", "problem", error.message, error.fix)
        return
    counted = "1 record" if verified.records == 1 else f"{verified.records} records"
    yield Finding("ledger", "good", f"{counted}, the chain is whole")
    if verified.torn is not None:
        yield Finding(
            "ledger",
            "note",
            f"a writer was stopped: {verified.torn.bytes} bytes at the end are no record",
            "go on: the next writer sets them aside, and records that",
        )
    for data, period in moved:
        yield Finding(
            f"periods {data}",
            "problem",
            f"looks at {period} were made under a plan that hid more of it than the plan hides now",
            "put the plan back as it was; what was looked at is hidden no more, and what was open never was",
        )
    for run in running:
        yield Finding(
            f"run {run}",
            "note",
            "it was started and has not stopped; until then no N is given for what it may have tried",
            f"let it finish or resume it; if it was killed: assay ledger close {run}",
        )


def _moved_plans(ledger: Ledger, workspace: Workspace) -> list[tuple[str, str]]:
    """Data sets and hidden periods that were looked at when the plan hid more; see ``judge.moved_plan``."""
    from assay.judge import moved_plan

    looks: dict[str, list[Mapping[str, Any]]] = {}
    for entry in ledger.entries(kind="look"):
        looks.setdefault(entry.body["data"], []).append(entry.body)
    found = [
        (data, item.period)
        for data, bodies in looks.items()
        for item in moved_plan(bodies, workspace.settings(data).periods, ledger.get)
    ]
    return list(dict.fromkeys(found))


def _open_runs(ledger: Ledger) -> list[str]:
    """From the records themselves: the index would be written."""
    last: dict[str, tuple[int, str]] = {}
    for kind in ("run_start", "run_resume", "run_stop"):
        for entry in ledger.entries(kind=kind):
            if entry.run is not None and entry.line > last.get(entry.run, (0, ""))[0]:
                last[entry.run] = (entry.line, kind)
    return [run for run, (_, kind) in sorted(last.items()) if kind != "run_stop"]


def _models(workspace: Workspace, *, network: bool) -> Iterator[Finding]:
    """The keys that roles need, and whether the services of their backends answer."""
    from assay.config import load_secrets

    try:
        secrets = load_secrets(workspace.root)
    except (ConfigProblems, DataError) as error:
        yield Finding("keys", "problem", error.message, error.fix)
        return
    settings = workspace.llm
    used = sorted({role.backend for role in settings.roles.values()})
    services = [name for name in used if settings.backends[name].kind in _SERVICES]
    yield from _keys(workspace, secrets, services)
    if not settings.roles:
        yield Finding(
            "models", "note", "no role has a model", "nothing, where none is wanted; else add [llm]"
        )
        return
    recordings = [name for name in used if settings.backends[name].kind in _RECORDINGS]
    yield from _answering(workspace, secrets, recordings, "look at [llm.backends.{}]")
    ready = [name for name in services if _has_key(settings.backends[name].key, secrets)]
    if not network:
        for name in ready:
            yield Finding(f"model {name}", "note", "not asked, as --no-network says", None)
        return
    yield from _answering(workspace, secrets, ready, "look at [llm.backends.{}], its key, and the network")


def _keys(workspace: Workspace, secrets: dict[str, Secret], services: list[str]) -> Iterator[Finding]:
    """Which keys are set, by name; their values are shown nowhere."""
    backends = workspace.llm.backends
    needed = {backends[name].key for name in services} - {None}
    for key in sorted(str(name) for name in needed if not _has_key(name, secrets)):
        fix = f"set {key} in the environment or in the .env beside assay.toml"
        yield Finding("keys", "problem", f"{key} is not set, and a role needs it", fix)
    known = sorted({name for name in (*needed, *_KEYS) if name is not None and secrets.get(name)})
    yield Finding("keys", "good", f"set: {', '.join(known)}" if known else "none is set")
    dotenv = workspace.root / ".env"
    if dotenv.is_file() and dotenv.stat().st_mode & 0o077:
        yield Finding("keys", "note", ".env can be read by other users", f"chmod 600 {dotenv}")


def _has_key(name: str | None, secrets: dict[str, Secret]) -> bool:
    return name is None or bool(secrets.get(name))


def _answering(
    workspace: Workspace, secrets: dict[str, Secret], names: list[str], fix: str
) -> Iterator[Finding]:
    """Whether backends can answer; ``fix`` has a place for the name of one that cannot."""
    from assay.llm import Backends, CallRecord
    from assay.tools import calls_of_run

    def recorded(run_id: str) -> list[CallRecord]:
        return calls_of_run(open_without_writing(workspace.ledger_dir), run_id)

    patient = {
        name: replace(backend, timeout=min(backend.timeout, _PATIENCE))
        for name, backend in workspace.llm.backends.items()
    }
    llm = replace(workspace.llm, backends=patient)
    backends = Backends(llm, secrets=secrets, root=workspace.root, recorded=recorded)
    for name, found in backends.check(names).items():
        if found.reachable:
            yield Finding(f"model {name}", "good", found.detail)
        else:
            yield Finding(f"model {name}", "problem", found.detail, fix.format(name))
