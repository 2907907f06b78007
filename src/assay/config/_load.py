from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assay.base import did_you_mean
from assay.config._brain import (
    BrainAgentSettings,
    BrainClientSettings,
    BrainMultiSettings,
    BrainPipelineSettings,
    BrainSettings,
    BrainSimulatorSettings,
)
from assay.config._llm import LLM_ROLES, BackendSettings, LlmLimits, LlmSettings, Price, RoleSettings
from assay.config._plan import PeriodPlan, longest_label
from assay.config._workspace import CONFIG_NAME, Costs, DataSettings, LookBudgets, Workspace
from assay.errors import ConfigProblems, Problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from assay.config._brain_models import BrainTable
    from assay.config._llm_models import LlmTable, RoleTable
    from assay.config._models import ConfigFile, CostsTable, DataTable, LooksTable, PeriodsTable

# "tokens" are what a model reads and writes
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SECRET_KEY = re.compile(r"(api_?key|(?<!max_)token(?!s)|secret|passw(or)?d|credential)", re.IGNORECASE)


def find_workspace(start: Path | None = None) -> Workspace | None:
    """The workspace that ``start`` (default: the current folder) lies in, or None.

    Walks up to the first folder that holds an ``assay.toml``.

    Raises
    ------
    ConfigProblems
        The file was found and is not valid.
    """
    here = Path.cwd() if start is None else Path(start).resolve()
    return _nearest((here, *here.parents))


def _nearest(folders: Iterable[Path]) -> Workspace | None:
    for folder in folders:
        # also a folder of that name, a link to nothing, or a ledger whose settings are lost: without its plan
        # no date would be hidden
        if os.path.lexists(folder / CONFIG_NAME) or _has_ledger(folder):
            return load_workspace(folder)
    return None


def _has_ledger(folder: Path) -> bool:
    return (folder / "ledger" / "ledger.jsonl").is_file()


@dataclass(frozen=True, slots=True)
class DataPlace:
    """The workspace that a data set lies in, and the settings that it has there."""

    workspace: Workspace
    settings: DataSettings


def find_data_settings(folder: Path, name: str) -> DataSettings | None:
    """Settings of the data set ``name`` stored in ``folder``; see :func:`find_data_place`."""
    place = find_data_place(folder, name)
    return None if place is None else place.settings


def find_data_place(folder: Path, name: str) -> DataPlace | None:
    """The workspace that the data set ``name`` stored in ``folder`` lies in, with its settings there.

    None when it lies in none. Where ``folder`` is reached through links, the workspace above the files
    themselves goes before the one above the link, unless only the latter has a period plan for the data set.

    Raises
    ------
    ConfigProblems
        The ``assay.toml`` above the data set is not valid.
    """
    found = None
    for path in dict.fromkeys((Path(folder).resolve(), Path(os.path.abspath(folder)))):
        workspace = _nearest(path.parents)
        if workspace is None:
            continue
        place = DataPlace(workspace, workspace.settings(name, path.name))
        if place.settings.periods is not None:
            return place
        found = found or place
    return found


def load_workspace(path: Path) -> Workspace:
    """The workspace in folder ``path`` (or of the ``assay.toml`` at ``path``).

    Raises
    ------
    ConfigProblems
        The file is missing, unreadable or not valid; every problem is listed.
    """
    path = Path(path)
    file = path if path.name == CONFIG_NAME and not path.is_dir() else path / CONFIG_NAME
    return parse_config(_read(file), root=file.parent.resolve())


def parse_config(text: str, *, root: Path) -> Workspace:
    """The workspace that an ``assay.toml`` with this text in folder ``root`` describes.

    Raises
    ------
    ConfigProblems
        The text is not TOML, or keys or values are not valid; every problem is listed.
    """
    where = str(root / CONFIG_NAME)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigProblems([_toml_problem(str(error), text)], where=where) from error
    except (ValueError, RecursionError) as error:
        # the reader itself gives up: thousands of nested brackets, or of digits in one number
        what = "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
        problem = Problem(
            CONFIG_NAME, f"cannot be read: {what}", "write it anew, for example with 'assay init'"
        )
        raise ConfigProblems([problem], where=where) from error
    return _build(_validate(raw, where), root)


def _read(file: Path) -> str:
    where = str(file)
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        fix = "run 'assay init' or name another folder"
        if _has_ledger(file.parent):
            fix = "put it back as it was: it says which dates are hidden; the ledger beside it has a record"
        problem = Problem(CONFIG_NAME, f"{file} does not exist", fix)
        raise ConfigProblems([problem], where=where) from error
    except OSError as error:
        problem = Problem(CONFIG_NAME, f"cannot be read: {error.strerror or error}", "check its permissions")
        raise ConfigProblems([problem], where=where) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        problem = Problem(f"line {line}", f"byte {error.start} is not UTF-8", "save the file as UTF-8")
        raise ConfigProblems([problem], where=where) from error


def _toml_problem(message: str, text: str) -> Problem:
    place = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    what = message if place is None else message[: place.start()]
    if place is None or place.group(1) is None:
        return Problem(f"line {text.count(chr(10)) + 1}", f"not valid TOML: {what}", "end the last entry")
    line, column = int(place.group(1)), place.group(2)
    shown = text.splitlines()[line - 1].strip()[:60] if line <= len(text.splitlines()) else ""
    quotable = shown and shown.isprintable() and not _SECRET_KEY.search(shown)
    fix = f"mend this line: {shown}" if quotable else "mend this line"
    return Problem(f"line {line}, column {column}", f"not valid TOML: {what}", fix)


def _validate(raw: dict[str, Any], where: str) -> ConfigFile:
    from pydantic import ValidationError  # slow to import; most callers find no workspace

    from assay.config._check import cross_checks

    kind = _file_model(raw)
    problems: list[Problem] = []
    config = kind()
    try:
        config = kind.model_validate(raw)
    except ValidationError as error:
        problems += [_key_problem(detail) for detail in error.errors(include_url=False)]
    problems += cross_checks(raw)
    if problems:
        raise ConfigProblems(problems, where=where)
    return config


def _file_model(raw: Mapping[str, Any]) -> type[ConfigFile]:
    from assay.config._models import ConfigFile

    if "brain" in raw:
        from assay.config._brain_models import WholeConfigFile

        return WholeConfigFile
    if "llm" in raw:
        from assay.config._llm_models import ConfigFileWithLlm

        return ConfigFileWithLlm
    return ConfigFile


def _key_problem(detail: ErrorDetails) -> Problem:
    place = tuple(detail["loc"])
    where, kind, context = _dotted(place), detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(place)
    if place[-1:] == ("[key]",):
        return _unknown_name(place[:-1], LLM_ROLES)
    if kind == "missing":
        return Problem(where, "is required", "add it")
    if "fix" in context:
        return Problem(where, detail["msg"], str(context["fix"]))
    value = repr(detail["input"])
    shown = "something secret" if _SECRET_KEY.search(where + value) else value[:60]
    wanted = "input should be a table" if kind in ("model_type", "dict_type") else detail["msg"]
    return Problem(where, f"is {shown}", wanted[:1].lower() + wanted[1:])


def _dotted(place: Iterable[str | int]) -> str:
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            shown = part if _BARE_KEY.fullmatch(part) else f'"{part}"'
            text += f".{shown}" if text else shown
    return text


def _unknown_key(place: tuple[str | int, ...]) -> Problem:
    from assay.config._reference import keys_of

    key = str(place[-1])
    if _SECRET_KEY.search(key):
        return Problem(_dotted(place), "secrets do not belong here", "set it in the environment or in .env")
    return _unknown_name(place, keys_of(place[:-1]))


def _unknown_name(place: tuple[str | int, ...], known: Iterable[str]) -> Problem:
    close = did_you_mean(str(place[-1]), known)
    fix = f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(known)}"
    return Problem(_dotted(place), "no such key", fix)


def _build(config: ConfigFile, root: Path) -> Workspace:
    taken = config.defaults
    defaults = DataSettings(
        universe=taken.universe,
        horizons=tuple(sorted(set(taken.horizons))),
        lag=taken.lag,
        fill=taken.fill,
        costs=_costs(config.costs),
        looks=_looks(config.looks),
    )
    data: Mapping[str, DataSettings] = {
        name: _data_settings(table, defaults) for name, table in config.data.items()
    }
    return Workspace(root, taken.data, defaults, MappingProxyType(data), _llm(config), _brain(config))


def _brain(config: ConfigFile) -> BrainSettings:
    table: BrainTable | None = getattr(config, "brain", None)
    if table is None:
        return BrainSettings()
    simulator = table.simulator.model_dump()
    return BrainSettings(
        client=BrainClientSettings(**table.client.model_dump()),
        simulator=BrainSimulatorSettings(**{**simulator, "order": tuple(simulator["order"])}),
        agent=BrainAgentSettings(**table.agent.model_dump()),
        pipeline=BrainPipelineSettings(**table.pipeline.model_dump()),
        multi=BrainMultiSettings(**table.multi.model_dump()),
        web_hosts=tuple(table.web_hosts),
    )


def _llm(config: ConfigFile) -> LlmSettings:
    table: LlmTable | None = getattr(config, "llm", None)
    if table is None:
        return LlmSettings()
    backends = {
        name: BackendSettings(name=name, **item.model_dump()) for name, item in table.backends.items()
    }
    prices = {
        name: Price(item.input, item.output, item.input if item.cached_input is None else item.cached_input)
        for name, item in table.prices.items()
    }
    return LlmSettings(
        backends=MappingProxyType(backends),
        roles=MappingProxyType({name: _role(item, backends) for name, item in table.roles.items()}),
        limits=LlmLimits(**table.budget.model_dump()),
        prices=MappingProxyType(prices),
    )


def _role(table: RoleTable, backends: Mapping[str, BackendSettings]) -> RoleSettings:
    parameters: dict[str, Any] = {} if table.temperature is None else {"temperature": table.temperature}
    if "max_completion_tokens" not in table.parameters:  # newer models refuse the old name
        parameters["max_tokens"] = table.max_tokens
    model = table.model or backends[table.backend].model or ""
    return RoleSettings(table.backend, model, {**parameters, **table.parameters}, table.structured)


def _data_settings(table: DataTable, defaults: DataSettings) -> DataSettings:
    horizons = tuple(sorted(set(table.horizons or defaults.horizons)))
    return DataSettings(
        universe=table.universe or defaults.universe,
        horizons=horizons,
        lag=defaults.lag,
        fill=defaults.fill,
        costs=_costs(table.costs) or defaults.costs,
        looks=_looks(table.looks) if table.looks else defaults.looks,
        periods=_plan(table.periods, horizons) if table.periods else None,
    )


def _costs(table: CostsTable | None) -> Costs | None:
    if table is None or not table.model_fields_set:
        return None  # an empty table, such as that of a new workspace, says nothing
    return Costs(table.buy_bp, table.sell_bp)


def _looks(table: LooksTable) -> LookBudgets:
    return LookBudgets(table.score, table.eval)


def _plan(table: PeriodsTable, horizons: tuple[int, ...]) -> PeriodPlan:
    embargo = longest_label(horizons) if table.embargo_bars is None else table.embargo_bars
    return PeriodPlan(table.search, table.score, table.eval, embargo)
