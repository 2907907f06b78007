"""The OpenAPI document against the running service: what is generated from it finds no other answer."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from .conftest import end, make_workspace, start

CHECKS = [
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
]


@pytest.fixture(scope="module")
def server(tmp_path_factory, source):
    folder = tmp_path_factory.mktemp("api")
    running = start(make_workspace(folder / "desk", source), folder, "--rate", "100000")
    yield running
    end(running)


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("path", ["/health", "/specs", "/test_expr", "/backtest"])
def test_generated_requests_find_no_answer_that_is_not_documented(server, path, mode):
    api = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    (operation,) = (found.ok() for found in api.get_all_operations() if found.ok().path == path)
    headers = {"Authorization": server.search.headers["authorization"]}
    asked = 0

    @settings(max_examples=30, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
    @given(case=operation.as_strategy(generation_mode=mode))
    def probe(case):
        nonlocal asked
        asked += 1
        case.call_and_validate(headers=headers, checks=CHECKS)

    try:
        probe()
    except Unsatisfiable:
        assert (path, mode) == ("/health", GenerationMode.NEGATIVE)  # it takes nothing that could be wrong
        return
    assert asked >= 1


def test_the_ledger_verifies_after_all_of_it(server):
    server.ledger.verify(objects=True)


def test_every_path_documents_its_errors(server):
    document = server.search.get("/openapi.json").json()
    assert set(document["paths"]) == {"/health", "/specs", "/test_expr", "/backtest"}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            wanted = (
                {"200", "403", "413"}
                if path == "/health"
                else {"200", "401", "403", "413", "422", "429", "503"}
            )
            assert wanted <= set(operation["responses"]), path
    schemas = document["components"]["schemas"]
    assert schemas["ErrorBody"]["properties"]["source"]["enum"] == ["model", "environment", "client"]
    assert schemas["BacktestRequest"]["additionalProperties"] is False
