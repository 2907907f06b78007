from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Reason:
    """One entry of the refusal vocabulary.

    Parameters
    ----------
    code : snake_case name, stable across releases; agents branch on it.
    summary : one sentence for a person, without the particulars of a case.
    fix : what to do about it, one sentence.
    """

    code: str
    summary: str
    fix: str


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` (0-based, half-open) of a formula; line and column count from 1."""

    start: int
    end: int
    line: int
    column: int

    def pointer(self, text: str) -> str:
        """The line of ``text`` with a caret under the place, for a terminal."""
        lines = text.split("\n")
        line = lines[min(self.line, len(lines)) - 1].rstrip("\r")
        start = max(self.column - 1, 0)
        shift = max(0, start - 60)
        shown = line[shift : shift + 100]
        width = max(1, min(self.end - self.start, len(shown) - (start - shift)))
        return f"{shown}\n{' ' * (start - shift)}{'^' * width}"


def _rebuild(kind: type[AssayError], state: dict[str, Any]) -> AssayError:
    error = kind.__new__(kind, state["message"])
    error.__dict__.update(state)
    return error


class AssayError(Exception):
    """Base of all errors that Assay raises on purpose.

    ``where`` names the file, column, date or argument concerned; ``fix`` says what to do.
    """

    kind = "error"

    def __init__(self, message: str, *, where: str | None = None, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.fix = fix

    def __reduce__(self) -> tuple[Any, ...]:
        # an exception is rebuilt from its args alone, which the subclasses' signatures do not take; a worker
        # process that raised one would break the pool instead of handing it over
        return _rebuild, (type(self), self.__dict__)

    def as_dict(self) -> dict[str, Any]:
        """The error as JSON-ready data: what, where, what to do."""
        return {"error": self.kind, "message": self.message, "where": self.where, "fix": self.fix}


class Refusal(AssayError):
    """An expected "no". ``reason`` is from a closed vocabulary; ``details`` is JSON-ready."""

    kind = "refusal"

    def __init__(
        self,
        reason: Reason,
        message: str | None = None,
        *,
        where: str | None = None,
        fix: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message or reason.summary, where=where, fix=fix or reason.fix)
        self.reason = reason
        self.details = dict(details or {})

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "reason": self.reason.code, "details": self.details}


class ExpressionError(Refusal):
    """A formula is refused at ``level`` parsed, typed or runnable; ``span`` is the offending part.

    ``facts`` are the particulars that the message words (``op``, ``given``, ``wanted``, ...), for those who
    word it differently.
    """

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        span: Span,
        text: str,
        level: str = "parsed",
        expected: Sequence[str] = (),
        suggestions: Sequence[str] = (),
        fix: str | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            reason,
            message,
            where=f"line {span.line}, column {span.column}",
            fix=fix,
            details={
                "level": level,
                "line": span.line,
                "column": span.column,
                "start": span.start,
                "end": span.end,
                "expected": list(expected),
                "did_you_mean": list(suggestions),
            },
        )
        self.span = span
        self.text = text
        self.level = level
        self.expected = tuple(expected)
        self.suggestions = tuple(suggestions)
        self.facts = dict(facts or {})

    def pointer(self) -> str:
        """The offending line with a caret under the place, for a terminal."""
        return self.span.pointer(self.text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a configuration: where (``table.key``), what, and what to do."""

    where: str
    message: str
    fix: str = ""


class ConfigProblems(AssayError):
    """All problems found in a configuration."""

    kind = "config"

    def __init__(self, problems: Sequence[Problem], *, where: str | None = None) -> None:
        self.problems = tuple(problems)
        noun = "problem" if len(self.problems) == 1 else "problems"
        lines = [f"{len(self.problems)} {noun}"]
        lines += [f"  {p.where}: {p.message}" + (f" ({p.fix})" if p.fix else "") for p in self.problems]
        super().__init__("\n".join(lines), where=where, fix="mend the listed entries")

    def as_dict(self) -> dict[str, Any]:
        listed = [{"where": p.where, "message": p.message, "fix": p.fix} for p in self.problems]
        return {**super().as_dict(), "problems": listed}


class DataError(AssayError):
    """Data is missing, malformed, or contradicts itself."""

    kind = "data"


class ProviderError(AssayError):
    """An outside service failed.

    ``status`` is the HTTP status and ``code`` the service's own word for the fault, where there was one;
    ``retry_after`` the seconds it asks to wait.
    """

    kind = "provider"

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        fix: str | None = None,
        status: int | None = None,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, where=where, fix=fix)
        self.status = status
        self.code = code
        self.retry_after = retry_after

    def as_dict(self) -> dict[str, Any]:
        particulars = {"status": self.status, "code": self.code, "retry_after": self.retry_after}
        return {**super().as_dict(), **particulars}


class ProviderQuotaExhausted(ProviderError):
    """The balance or quota is used up; waiting does not help."""

    kind = "provider_quota"


class ProviderTransient(ProviderError):
    """Worth trying again later."""

    kind = "provider_transient"


class ProviderAuth(ProviderError):
    """Credentials are missing or refused."""

    kind = "provider_auth"


class ProviderBadReply(ProviderError):
    """The answer does not have the promised shape."""

    kind = "provider_bad_reply"


class LedgerDamaged(AssayError):
    """The record of what happened was altered or broken; ``where`` names the line."""

    kind = "ledger_damaged"
