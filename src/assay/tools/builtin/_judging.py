from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from assay.config import DataSettings
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.market import Panel


def search_judging(settings: DataSettings, panel: Panel) -> JudgeSettings:
    """How formulas are scored for a caller of tools: quickly, under the settings of the data set.

    Raises
    ------
    AssayError
        The costs of trading are not known.
    """
    from assay.judge import COSTS, JudgeSettings

    values: dict[str, Any] = {
        "robustness": "off",
        "leak_checks": "off",
        "bootstrap": 0,
        "neutral": False,
        "lag": settings.lag,
        "fill": settings.fill,
    }
    if settings.costs is not None:
        values["costs"] = asdict(settings.costs)
    elif (panel.manifest.market or "") not in COSTS:
        raise AssayError(
            f"the data set {panel.name!r} names no market, so the costs of trading are not known",
            where="data",
            fix=f"add [data.{panel.name}.costs] to assay.toml, or import again with --market",
        )
    return JudgeSettings.from_mapping(values)
