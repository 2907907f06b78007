"""What a Python function is, as text that changes when what it computes may change."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from assay.errors import AssayError


def code_digest(call: Callable[..., Any]) -> str:
    """SHA-256 of what a function does: its byte code, defaults, closure, and the functions that it calls.

    Followed are plain values and Python functions, however deep; of modules and classes the name counts. The
    byte code differs between minor versions of Python, so the digest does too.

    Raises
    ------
    AssayError
        The function holds an object whose content cannot be told.
    """
    text = "\n".join(_described(call, set()))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _described(value: Any, seen: set[int]) -> Iterator[str]:
    if value is None or isinstance(value, str | bytes | bool | int | float | complex):
        yield f"{type(value).__name__}:{value!r}"
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__}:{len(value)}"
        for item in value:
            yield from _described(item, seen)
    elif isinstance(value, set | frozenset):
        yield f"set:{len(value)}"
        yield from sorted("\n".join(_described(item, seen)) for item in value)
    elif isinstance(value, dict):
        yield f"dict:{len(value)}"
        for key, item in value.items():
            yield from _described(key, seen)
            yield from _described(item, seen)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"array:{value.dtype.str}:{value.shape}:{hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, CodeType):
        yield from _code(value, seen)
    else:
        yield from _object(value, seen)


def _object(value: Any, seen: set[int]) -> Iterator[str]:
    if isinstance(value, partial):
        yield "partial"
        yield from _described((value.func, value.args, value.keywords), seen)
    elif isinstance(value, FunctionType):
        yield from _function(value, seen)
    elif isinstance(value, ModuleType):
        yield f"module:{value.__name__}"
    elif isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        yield f"{getattr(value, '__module__', '')}:{value.__qualname__}"
    elif isinstance(value, np.generic | np.dtype | np.ufunc):
        yield f"numpy:{value!r}"
    else:
        raise AssayError(
            f"it holds an object of type {type(value).__name__}, whose content cannot be told",
            where="function",
            fix="take numbers, texts, arrays and functions from outside, and make other objects inside",
        )


def _function(function: FunctionType, seen: set[int]) -> Iterator[str]:
    if id(function) in seen:
        yield f"again:{function.__qualname__}"
        return
    seen.add(id(function))
    yield "function"
    yield from _code(function.__code__, seen)
    yield from _described((function.__defaults__, function.__kwdefaults__), seen)
    for cell in function.__closure__ or ():
        yield from _described(cell.cell_contents, seen)
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            yield f"global:{name}"
            yield from _described(function.__globals__[name], seen)


def _names(code: CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*(_names(item) for item in inner))


def _code(code: CodeType, seen: set[int]) -> Iterator[str]:
    yield f"code:{code.co_code.hex()}:{code.co_names}:{code.co_varnames}:{code.co_freevars}:{code.co_flags}"
    yield from _described(_without_docstring(code), seen)


def _without_docstring(code: CodeType) -> tuple[Any, ...]:
    # what a function says of itself computes nothing; its place stays, since code names constants by number
    doc = code.co_consts and isinstance(code.co_consts[0], str) and not code.co_name.startswith("<")
    return (None, *code.co_consts[1:]) if doc else code.co_consts
