"""What the language has: ``search_operators``, ``get_operator_detail``, ``list_all_operators``."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from assay.brain.tools._desk import BrainDesk, picked
from assay.brain.tools._reasons import NO_PLATFORM, UNKNOWN_OPERATOR
from assay.brain.tools._text import shortened
from assay.tools import Arguments, Context, Result, Tool

_LINE = 160


class NoArguments(Arguments):
    pass


class KeywordArguments(Arguments):
    keyword: str = Field(description="A word of name, category or description.", min_length=1, max_length=64)


class OperatorArguments(Arguments):
    name: str = Field(description="Name of an operator.", min_length=1, max_length=64)


class OperatorRow(Result):
    name: str
    category: str
    definition: str
    description: str


class OperatorDetail(OperatorRow):
    scope: list[str]
    documentation: str
    level: str


class OperatorsResult(Result):
    operators: list[OperatorRow]


class CategoryRow(Result):
    category: str
    definitions: list[str]


class AllOperatorsResult(Result):
    total: int
    categories: list[CategoryRow]


def operator_tools(desk: BrainDesk) -> Iterator[Tool]:
    """The three tools that tell of operators."""

    def search_operators(arguments: KeywordArguments, context: Context) -> OperatorsResult:
        word = arguments.keyword.lower()
        rows = [
            OperatorRow(
                name=item.name,
                category=item.category,
                definition=item.definition,
                description=shortened(item.description, _LINE),
            )
            for item in desk.need_platform().operators()
            if any(word in text.lower() for text in (item.name, item.category, item.description))
        ]
        return OperatorsResult(operators=rows)

    def get_operator_detail(arguments: OperatorArguments, context: Context) -> OperatorDetail:
        known = {item.name.lower(): item for item in desk.need_platform().operators()}
        found = picked(known, arguments.name.lower(), UNKNOWN_OPERATOR)
        return OperatorDetail(
            name=found.name,
            category=found.category,
            definition=found.definition,
            description=shortened(found.description),
            scope=list(found.scope),
            documentation=shortened(found.documentation or ""),
            level=found.level or "",
        )

    def list_all_operators(arguments: NoArguments, context: Context) -> AllOperatorsResult:
        operators = desk.need_platform().operators()
        grouped: dict[str, list[str]] = {}
        for item in operators:
            grouped.setdefault(item.category, []).append(item.definition or item.name)
        rows = [CategoryRow(category=name, definitions=texts) for name, texts in grouped.items()]
        return AllOperatorsResult(total=len(operators), categories=rows)

    yield Tool(
        "brain.search_operators",
        "Finds operators of the language by a word.",
        KeywordArguments,
        OperatorsResult,
        (NO_PLATFORM,),
        search_operators,
    )
    yield Tool(
        "brain.get_operator_detail",
        "Tells all that the platform says of one operator.",
        OperatorArguments,
        OperatorDetail,
        (NO_PLATFORM, UNKNOWN_OPERATOR),
        get_operator_detail,
    )
    yield Tool(
        "brain.list_all_operators",
        "Lists the definitions of all operators by category.",
        NoArguments,
        AllOperatorsResult,
        (NO_PLATFORM,),
        list_all_operators,
    )
