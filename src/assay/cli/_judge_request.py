from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, ConfigProblems, Problem

if TYPE_CHECKING:
    from assay.config import DataSettings
    from assay.expr import DialectName
    from assay.judge import JudgeSettings, SettingProblems

_NAMED = (
    "universe", "horizon", "period", "lag", "fill", "market", "costs", "book", "top_k", "rebalance",
    "trials", "sharpe_variance",
)  # fmt: skip
_OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _NAMED} | {"start": "--from", "end": "--to"}


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What ``assay judge`` was asked to do; ``settings`` and ``options`` are as typed."""

    expressions: tuple[str, ...]
    file: Path | None
    values: Path | None
    benchmark: Path | None
    data: str | None
    dialect: DialectName
    settings: Mapping[str, Any]
    options: tuple[str, ...]
    html: Path | None
    certificate: Path | None
    yes: bool
    as_json: bool


def judge_settings(request: JudgeRequest, workspace: DataSettings | None, *, threads: int) -> JudgeSettings:
    """The judge's settings: what the command line says, over what the workspace says, over the defaults.

    Raises
    ------
    ConfigProblems
        Unknown names, wrong types or values out of range, all at once.
    """
    from assay.judge import JudgeSettings, SettingProblems

    merged: dict[str, Any] = {"threads": threads, **_from_workspace(workspace)}
    given = dict(request.settings)
    if "costs" in given:
        given["costs"] = _costs(given["costs"])
    if "horizon" in given:
        given["horizon"] = _horizon(given["horizon"])
    if "market" in given:
        given["market"] = str(given["market"]).upper()
    if "top_k" in given:
        given.setdefault("book", "top_k")  # nobody who names the size of a book means another one
    merged.update(given)
    _merge_options(merged, request.options)
    try:
        return JudgeSettings.from_mapping(merged)
    except SettingProblems as error:
        raise as_options(error) from error


def as_options(error: SettingProblems) -> SettingProblems:
    """The same problems under the names that the command line has for the settings."""
    from assay.judge import SettingProblems

    renamed = [
        Problem(_option(p.where), p.message, p.fix.partition("; in Python")[0]) for p in error.problems
    ]
    where = ", ".join(dict.fromkeys(problem.where for problem in renamed))
    return SettingProblems(renamed, where=where)


def _option(setting: str) -> str:
    if setting in _OPTIONS:
        return _OPTIONS[setting]
    table = setting.partition(".")[0]
    return _OPTIONS["costs"] if table == "costs" else f"--set {setting}"


def _horizon(text: str | int) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise AssayError(
            f"--horizon takes one whole number, not {text!r}",
            where="--horizon",
            fix="give the bars of the judged label, such as 5; for several in the decay table, "
            "--set 'horizons=[5,10]'",
        ) from error


def _from_workspace(workspace: DataSettings | None) -> dict[str, Any]:
    if workspace is None:
        return {}
    values: dict[str, Any] = {
        "universe": workspace.universe,
        "horizons": workspace.horizons,
        "lag": workspace.lag,
        "fill": workspace.fill,
    }
    if workspace.costs is not None:
        values["costs"] = {"buy_bp": workspace.costs.buy_bp, "sell_bp": workspace.costs.sell_bp}
    return values


def _costs(text: str) -> dict[str, float]:
    from assay.judge import COSTS

    known = COSTS.get(text.upper())
    if known is not None:
        return {"buy_bp": known.buy_bp, "sell_bp": known.sell_bp}
    buy, slash, sell = text.partition("/")
    try:
        return {"buy_bp": float(buy), "sell_bp": float(sell if slash else buy)}
    except ValueError as error:
        raise AssayError(
            f"{text!r} is no cost",
            where="--costs",
            fix="use cn, us, or BUY/SELL in basis points, such as 3/8",
        ) from error


def _merge_options(merged: dict[str, Any], options: tuple[str, ...]) -> None:
    problems: list[Problem] = []
    for option in options:
        key, sign, text = option.partition("=")
        if not sign or not key:
            problems.append(
                Problem(f"--set {option}", "is not KEY=VALUE", "write, for instance, min_names=30")
            )
            continue
        if key == "allow_hidden":
            # a setting of the library: on the command line it would open hidden dates without a question
            problems.append(
                Problem(f"--set {key}", "cannot be set here", "answer the question, or add --yes")
            )
            continue
        table, dot, name = key.partition(".")
        if not dot:
            merged[key] = _value(text)
        elif isinstance(nested := merged.setdefault(table, {}), dict):
            nested[name] = _value(text)
    if problems:
        raise ConfigProblems(problems, where="--set")


def _value(text: str) -> Any:
    """A number, true, false, null or a list as JSON writes them; anything else is text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
