"""A small registry with a tool for every way in which a call can end."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assay.errors import ProviderTransient, Reason, Refusal
from assay.llm import ToolCall
from assay.tools import (
    Annotations,
    Arguments,
    Context,
    FrozenFieldMutation,
    Registry,
    Result,
    Tool,
)

NO_SHOP = Reason("no_shop", "there is no shop", "open one")
BAD_COUNT = Reason("bad_count", "the count is out of bounds", "use 1 to 9")
MISSING_COUNT = Reason("missing_count", "there is no count", "send one")
BAD_DIM_NAME = Reason("bad_dim_name", "a dimension has no good name", "name it")
LATER = Reason("later", "not built yet", "wait")
OTHER = Reason("other", "declared by nobody", "declare it")


class Dim(Arguments):
    name: str = Field(min_length=1)


class BuyArguments(Arguments):
    count: int = Field(ge=1, le=9)
    colour: Literal["red", "blue"] = "red"
    dims: tuple[Dim, ...] = ()
    universe: str = "csi300"


class Bought(Result):
    count: int


class Nothing(Arguments):
    pass


class Done(Result):
    text: str = "done"


def _buy(arguments: BuyArguments, context: Context) -> Bought:
    if arguments.count == 8:
        raise Refusal(NO_SHOP, details={"count": 8})
    if arguments.universe == "alias":
        raise FrozenFieldMutation("universe is fixed in this episode")
    return Bought(count=arguments.count)


def _down(arguments: Nothing, context: Context) -> Done:
    raise ProviderTransient("the shop at /srv/shop is closed until 2031-01-01")


def _bug(arguments: Nothing, context: Context) -> Done:
    raise KeyError("secret")


def _undeclared(arguments: Nothing, context: Context) -> Done:
    raise Refusal(OTHER)


def _wrong_type(arguments: Nothing, context: Context) -> Result:
    return Bought(count=1)


def _premature(arguments: Nothing, context: Context) -> Done:
    raise Refusal(LATER)


def _done(arguments: Nothing, context: Context) -> Done:
    return Done()


def buy_tool() -> Tool:
    return Tool(
        "shop.buy",
        "Buys.",
        BuyArguments,
        Bought,
        (NO_SHOP, BAD_COUNT, MISSING_COUNT, BAD_DIM_NAME),
        _buy,
        annotations=Annotations(read_only=False),
        frozen=("universe",),
        faults={"dims.*.name": "dim_name"},
    )


def toy_registry() -> Registry:
    return Registry(
        [
            buy_tool(),
            Tool("shop.down", "Is down.", Nothing, Done, (), _down),
            Tool("shop.bug", "Has a bug.", Nothing, Done, (), _bug),
            Tool("shop.undeclared", "Refuses by surprise.", Nothing, Done, (), _undeclared),
            Tool("shop.wrong_type", "Gives something else.", Nothing, Done, (), _wrong_type),
            Tool(
                "shop.premature",
                "Refuses as reserved.",
                Nothing,
                Done,
                (LATER,),
                _premature,
                reserved=("later",),
            ),
            Tool("shop.close", "For people.", Nothing, Done, (), _done, callers=frozenset({"human"})),
            Tool("shop.look", "Looks.", Nothing, Done, (), _done),
        ]
    )


def called(name: str, arguments: str = "{}", number: int = 0) -> ToolCall:
    return ToolCall(f"c{number}", name, arguments)
