"""What ``assay backtest`` does: here, through a service, and as a check of the installation."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, ProviderError, ProviderTransient

if TYPE_CHECKING:
    from assay.expr import DialectName
    from assay.service import Answer, Desk
    from assay.spec import GatedSpec

SMOKE_FORMULA = "TS_MEAN($close, 15) / $close"
SMOKE_CANDIDATE = "-TS_PCTCHANGE($close, 5)"
MAX_REPLY = 1_000_000


def run_here(formula: str, dialect: DialectName, gated: GatedSpec | None, data: str | None) -> Answer:
    """Judge a formula on the search period of a data set of this workspace, in this process."""
    from assay.base import Operator
    from assay.cli._dataset import find_dataset
    from assay.config import find_workspace
    from assay.service import Job, Terms, open_desk

    desk = open_desk(find_dataset(data, find_workspace()), operator=Operator.human())
    terms = Terms() if gated is None else Terms.of(gated)
    return desk.do(Job(formula, dialect, terms, "search", desk.new_run()))


def run_there(
    formula: str, dialect: str, gated: GatedSpec, endpoint: str, token_file: Path, period: str
) -> Answer:
    """Register the spec with a service and ask it for a backtest.

    Raises
    ------
    ProviderError
        The service cannot be reached, or what it answers is none of its answers.
    AssayError
        The endpoint is no address of HTTP.
    """
    from assay.service import read_token

    token = read_token(token_file).reveal()
    with _client(endpoint, token) as post:
        registered = post("/specs", gated.as_dict())
        if registered.status != 200:
            return registered
        asked = {"expression": formula, "spec_id": gated.spec_id, "period": period, "dialect": dialect}
        return post("/backtest", asked)


@contextmanager
def _client(endpoint: str, token: str) -> Iterator[Callable[[str, dict[str, Any]], Answer]]:
    import httpx

    from assay.service import Answer

    if not endpoint.startswith(("http://", "https://")):
        raise AssayError(f"{endpoint!r} is no address", where="--endpoint", fix="write http://127.0.0.1:8001")
    headers = {"Authorization": f"Bearer {token}"}
    # no proxies and no redirects: the token is for this address alone
    client = httpx.Client(
        base_url=endpoint, headers=headers, timeout=300, trust_env=False, follow_redirects=False
    )

    def post(path: str, body: dict[str, Any]) -> Answer:
        try:
            response = client.post(path, json=body)
            found = response.json() if len(response.content) <= MAX_REPLY else None
        except httpx.HTTPError as error:
            raise ProviderTransient(
                f"the service does not answer: {error}", where=endpoint, fix="start it: assay service serve"
            ) from error
        except ValueError:
            found = None
        if not isinstance(found, dict) or (response.status_code != 200 and "message" not in found):
            raise ProviderError("this is no answer of the service", where=endpoint, fix="check the address")
        return Answer(response.status_code, found)

    with client:
        yield post


def run_smoke() -> dict[str, Any]:
    """Test a formula, backtest it, and ask for a reward, on a simulated market in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="assay-smoke-") as folder:
        desk = _simulated(Path(folder) / "desk")
        steps = [_step(name, answer) for name, answer in _smoke_answers(desk)]
        verified = desk.ledger.verify()
        steps.append({"name": "ledger", "ok": True, "result": f"{verified.records} records verify"})
    return {"simulated": True, "ok": all(step["ok"] for step in steps), "steps": steps}


def _simulated(root: Path) -> Desk:
    from assay.config import init_workspace, propose_plan
    from assay.market import simulate, write_dataset
    from assay.service import open_desk

    market = simulate(instruments=200, days=700, name="smoke")
    init_workspace(root, plans={"smoke": propose_plan(market.dates, (1, 2, 3, 5, 10, 20))})
    write_dataset(market.data, root / "data" / "smoke")
    return open_desk(root / "data" / "smoke")


def _smoke_answers(desk: Desk) -> Iterator[tuple[str, Answer]]:
    from assay.service import Job, Terms

    terms = Terms(seed=SMOKE_FORMULA)
    yield "test of a formula", desk.do(Job(SMOKE_FORMULA, "report"))
    yield "backtest, CSI300", desk.do(Job(SMOKE_FORMULA, "report", terms, "search", desk.new_run()))
    other = Terms(universe="CSI500", neutralization="industry_size", seed=SMOKE_FORMULA)
    yield (
        "backtest, CSI500, neutral",
        desk.do(Job(SMOKE_FORMULA, "report", other, "search", desk.new_run())),
    )
    yield "reward", desk.do(Job(SMOKE_CANDIDATE, "report", terms, "score", desk.new_run()))


def _shown(value: float | None, form: str) -> str:
    return "undefined" if value is None else format(value, form)


def _step(name: str, answer: Answer) -> dict[str, Any]:
    body = answer.body
    if answer.status != 200:
        result = body["message"]
    elif "figures" in body:
        figures = body["figures"]
        result = f"IR {_shown(figures['ir'], '.2f')}, RankIC {_shown(figures['rank_ic'], '.4f')}"
    elif "reward" in body:
        result = f"{body['reward']:+.2f}"
    else:
        result = f"lookback {body['lookback']}, values for {body['share']:.0%} of the tape"
    return {"name": name, "ok": answer.status == 200, "result": result}
