from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.errors import AssayError, ProviderError
from assay.llm._types import Reachability, Reply, Request

Scripted = Reply | ProviderError | str


class ScriptedProvider:
    """A provider for tests and examples that says what it was told to.

    Parameters
    ----------
    script : the answers in order, or a function of the request. A text is a reply; an error is raised.
    """

    def __init__(
        self, script: Sequence[Scripted] | Callable[[Request], Scripted], *, name: str = "scripted"
    ) -> None:
        self._script = script if callable(script) else tuple(script)
        self._name = name
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        return self._name

    def complete(self, request: Request) -> Reply:
        """The next answer.

        Raises
        ------
        ProviderError
            The script says so.
        AssayError
            The script is at its end.
        """
        self.requests.append(request)
        answer = self._script(request) if callable(self._script) else self._next(len(self.requests))
        if isinstance(answer, ProviderError):
            raise answer
        return Reply(answer, model=request.model) if isinstance(answer, str) else answer

    def check(self) -> Reachability:
        return Reachability(True, "a script; no service is asked")

    def _next(self, number: int) -> Scripted:
        if callable(self._script) or number > len(self._script):
            raise AssayError(
                f"the script has no reply for call {number}", where=self._name, fix="write a longer script"
            )
        return self._script[number - 1]
