"""A data set as the tools see it, for commands that do on the command line what the tools do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from assay.config import Workspace
    from assay.features import FeatureStore
    from assay.tools import Tool
    from assay.tools.builtin import SearchView, Workbench


@dataclass(frozen=True, slots=True)
class SearchData:
    """A search view of a data set, its features, and the workspace whose settings hold for it."""

    view: SearchView
    features: FeatureStore
    workspace: Workspace | None


def open_search_data(name: str | None) -> SearchData:
    """The data set of that name or path up to the end of its search period; whole where it has no plan.

    Raises
    ------
    DataError
        There is no such data set.
    Refusal
        ``hidden_period``: it has no plan, and holds what a planned one hides.
    FeatureProblems
        The workspace's ``features.toml`` cannot be used.
    """
    from assay.cli._dataset import open_with_settings
    from assay.config import DateRange, PeriodPlan, as_date, find_data_place, find_workspace
    from assay.judge import kin_of
    from assay.tools.builtin import SearchView, search_features, workspace_features

    panel, settings = open_with_settings(name)
    plan = None if settings is None else settings.periods
    if plan is None:
        kin = kin_of(panel)
        if kin is not None:
            raise kin.refusal(panel.name)
        plan = PeriodPlan(DateRange(as_date(panel.dates[0]), as_date(panel.dates[-1])))
    view = SearchView.of(panel, plan, universe=None if settings is None else settings.universe)
    place = None if panel.folder is None else find_data_place(panel.folder, panel.name)
    workspace = find_workspace() if place is None else place.workspace
    store = search_features(view) if workspace is None else workspace_features(view, workspace)
    return SearchData(view, store, workspace)


def ask_tool(bench: Workbench, name: str, **given: Any) -> BaseModel:
    """What a tool answers to a person; what was not given is left out.

    Raises
    ------
    AssayError
        An argument is out of bounds; refusals are those of the tool.
    """
    from pydantic import ValidationError

    from assay.base import Operator
    from assay.tools import Caller, Context
    from assay.tools.builtin import builtin_tools

    tool: Tool = next(tool for tool in builtin_tools(bench) if tool.id == name)
    try:
        arguments = tool.arguments.model_validate(
            {key: value for key, value in given.items() if value is not None}
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = first["msg"][:1].lower() + first["msg"][1:]
        raise AssayError(f"{place}: {message}", where=place, fix="see --help for what is allowed") from error
    return tool.function(arguments, Context(Caller(Operator.human())))
