from __future__ import annotations

from typing import Final

from mcp_types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    PromptReference,
    ResourceTemplateReference,
)

from assay.mcp._faults import UNKNOWN_PROMPT, UNKNOWN_RESOURCE, protocol_fault
from assay.mcp._prompts import JOBS, LANGUAGES
from assay.mcp._resources import Resources
from assay.tools import Caller

MOST: Final = 100
"""Values of one answer, as the specification bounds them."""


def complete(asked: CompleteRequestParams, resources: Resources, caller: Caller) -> CompleteResult:
    """Values with which an argument of a prompt, or the variable of a resource template, may go on.

    Raises
    ------
    MCPError
        There is no such prompt or template.
    """
    values = _values(asked.ref, asked.argument.name, resources, caller)
    found = [value for value in values if value.startswith(asked.argument.value)]
    completion = Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)
    return CompleteResult(completion=completion)


def _values(
    ref: PromptReference | ResourceTemplateReference, argument: str, resources: Resources, caller: Caller
) -> list[str]:
    if isinstance(ref, ResourceTemplateReference):
        keys = resources.keys_of_template(ref.uri, argument, caller)
        if keys is None:
            raise protocol_fault(UNKNOWN_RESOURCE)
        return keys
    if ref.name not in {job.name for job in JOBS}:
        raise protocol_fault(UNKNOWN_PROMPT)
    if argument == "language":
        return list(LANGUAGES)
    return resources.keys(argument, caller)
