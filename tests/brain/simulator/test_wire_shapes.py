"""Statuses, headers and shapes of the platform, one by one as they were captured."""

from __future__ import annotations

import base64
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from assay.brain.simulator import Request
from assay.config import Secret

from .wires import CODE, HOST, LOGIN, SETTINGS, Talk, simulation, talk

GOOD = "-rank(ts_corr(close, volume, 20))"
ALIKE = "-zscore(ts_corr(close, volume, 20))"
VALUE = "rank(equity / cap)"
BAD = "rank(clse)"
CHECKS = {
    "LOW_SHARPE", "LOW_FITNESS", "LOW_TURNOVER", "HIGH_TURNOVER", "CONCENTRATED_WEIGHT",
    "LOW_SUB_UNIVERSE_SHARPE", "SELF_CORRELATION",
}  # fmt: skip


def submitted(desk: Talk, code: str = GOOD) -> str:
    """The id of an alpha that was taken."""
    name = desk.run(code)["alpha"]
    assert desk.post(f"/alphas/{name}/submit").status == 201
    desk.account.clock.pass_by(1)
    assert desk.post(f"/alphas/{name}/submit").is_final
    return name


class TestAuthentication:
    def test_signing_in_gives_a_cookie_and_says_who_and_for_how_long(self) -> None:
        desk = talk(signed_in=False, level="consultant")
        reply = desk.sign_in()
        assert reply.status == 201
        assert set(reply.json) == {"user", "token", "permissions"}
        assert set(reply.json["user"]) == {"id"}
        assert reply.json["token"] == {"expiry": 14400.0}
        assert "MULTI_SIMULATION" in reply.json["permissions"]
        name, *attributes = reply.headers["set-cookie"].split("; ")
        assert name.startswith("t=")
        # requests never gives a Secure cookie back over plain http
        assert attributes == ["HttpOnly", "Path=/"]

    def test_over_tls_the_cookie_is_secure(self) -> None:
        pair = base64.b64encode(b"me@example.com:correct horse").decode()
        asked = Request("POST", "/authentication", headers={"authorization": f"Basic {pair}"}, scheme="https")
        reply = talk(signed_in=False).wire.handle(asked)
        assert dict(reply.headers)["Set-Cookie"].endswith("; Secure")

    @pytest.mark.parametrize("expiry", [1, 600, 14400])
    def test_a_session_is_as_long_as_it_was_asked_to_be(self, expiry: int) -> None:
        desk = talk(signed_in=False)
        assert desk.sign_in(body={"expiry": expiry}).json["token"]["expiry"] == expiry
        desk.account.clock.pass_by(expiry - 0.5)
        assert desk.get("/users/self").status == 200
        desk.account.clock.pass_by(1)
        assert desk.get("/users/self").status == 401

    @pytest.mark.parametrize("expiry", [0, -1, 14401, 1e300, "600", True, [], float("inf")])
    def test_no_other_length_is_given(self, expiry: Any) -> None:
        reply = talk(signed_in=False).sign_in(body={"expiry": expiry})
        assert reply.status == 400
        assert set(reply.json) in ({"expiry"}, {"detail"})

    def test_wrong_credentials(self) -> None:
        desk = talk(signed_in=False)
        wrong = replace(LOGIN, password=Secret("wrong"))
        reply = desk.sign_in(wrong)
        assert (reply.status, reply.json) == (401, {"detail": "INVALID_CREDENTIALS"})
        assert "www-authenticate" not in reply.headers
        for _ in range(4):
            reply = desk.sign_in(wrong)
        assert reply.json == {"detail": "INVALID_CREDENTIALS", "recaptcha": ["This field is required."]}

    @pytest.mark.parametrize(
        "header", ["", "Basic", "Basic !!!", "Bearer x", "Basic /w==", "Basic " + "A" * 9]
    )
    def test_a_header_that_is_no_basic_authentication(self, header: str) -> None:
        desk = talk(signed_in=False)
        assert desk.send("POST", "/authentication", authorization=header).status == 401

    def test_the_state_of_a_session(self) -> None:
        desk = talk(signed_in=False)
        assert (desk.get("/authentication").status, desk.get("/authentication").body) == (204, b"")
        desk.sign_in()
        desk.account.clock.pass_by(400)
        reply = desk.get("/authentication")
        assert (reply.status, reply.json["token"]["expiry"]) == (200, 14000.0)
        assert set(reply.json) == {"user", "token", "permissions"}
        assert desk.send("DELETE", "/authentication").status == 204
        assert desk.get("/authentication").status == 204
        assert desk.get("/users/self").status == 401

    @pytest.mark.parametrize(
        "path",
        ["/users/self", "/operators", "/data-fields", "/alphas/X", "/simulations/X", "/users/self/alphas"],
    )
    @pytest.mark.parametrize("cookie", [None, "", "x", "a; b", "\x00"])
    def test_without_a_session(self, path: str, cookie: str | None) -> None:
        desk = talk(signed_in=False)
        desk.cookie = cookie
        reply = desk.get(path)
        assert (reply.status, reply.json) == (401, {"detail": "Incorrect authentication credentials."})

    def test_a_session_that_is_counted_in_requests(self) -> None:
        desk = talk(requests=2)
        assert [desk.get("/users/self").status for _ in range(3)] == [200, 200, 401]

    def test_a_person_completes_an_inquiry(self) -> None:
        desk = talk(persona=True, signed_in=False)
        reply = desk.sign_in()
        inquiry = reply.json["inquiry"]
        assert reply.status == 401
        assert reply.headers["www-authenticate"] == "persona"
        path = reply.headers["location"]
        assert path == f"/authentication/persona?inquiry={inquiry}"
        assert inquiry.startswith("inq_")
        again = desk.post(path)
        assert (again.status, again.headers["location"]) == (401, path)
        page = desk.get(path)
        assert page.status == 200
        assert page.headers["content-type"].startswith("text/html")
        form = f"/authentication/persona/complete?inquiry={inquiry}"
        assert form.encode() in page.body
        assert desk.post(form).status == 200
        done = desk.post(path)
        assert done.status == 201
        desk.keep_cookie(done)
        assert desk.get("/users/self").status == 200
        assert desk.post(path).status == 404

    @pytest.mark.parametrize("rest", ["", "?inquiry=", "?inquiry=inq_x", "?inquiry=<script>"])
    def test_an_unknown_inquiry(self, rest: str) -> None:
        desk = talk(persona=True, signed_in=False)
        for method, path in (("GET", ""), ("POST", ""), ("POST", "/complete")):
            assert desk.send(method, f"/authentication/persona{path}{rest}").status == 404


class TestSimulations:
    def test_choices_nest_as_those_of_the_platform(self) -> None:
        children = talk().send("OPTIONS", "/simulations").json["actions"]["POST"]["settings"]["children"]
        assert set(SETTINGS) <= set(children)
        assert all({"type", "required", "label"} <= set(field) for field in children.values())
        labels = {key: children[key]["label"] for key in ("instrumentType", "region", "universe", "delay")}
        assert list(labels.values()) == ["Instrument type", "Region", "Universe", "Delay"]
        assert children["instrumentType"]["choices"] == [{"value": "EQUITY", "label": "EQUITY"}]
        assert children["region"]["choices"]["instrumentType"]["EQUITY"] == [{"value": "USA", "label": "USA"}]
        for key, value in (("universe", "TOP3000"), ("delay", 1), ("neutralization", "MARKET")):
            listed = children[key]["choices"]["instrumentType"]["EQUITY"]["region"]["USA"]
            assert {"value": value, "label": str(value)} in listed

    def test_start_progress_and_end(self) -> None:
        desk = talk(retry_after=5.0)
        started = desk.post("/simulations", simulation())
        assert (started.status, started.body) == (201, b"")
        assert started.headers["location"].startswith(f"http://{HOST}/simulations/")
        assert started.headers["retry-after"] == "5.0"
        path = started.headers["location"].partition(HOST)[2]
        running = desk.get(path)
        assert (running.status, running.headers["retry-after"]) == (200, "5.0")
        assert set(running.json) == {"progress"}
        desk.account.clock.pass_by(5)
        ended = desk.get(path)
        assert ended.is_final
        assert ended.json == {
            "id": path.rpartition("/")[2], "type": "REGULAR", "settings": SETTINGS, "regular": CODE,
            "status": "COMPLETE", "alpha": ended.json["alpha"],
        }  # fmt: skip
        assert desk.get(path).body == ended.body

    def test_the_daily_quota_in_headers(self) -> None:
        desk = talk(daily_simulations=3)
        reply = desk.post("/simulations", simulation())
        assert reply.headers["x-ratelimit-limit"] == "3"
        assert reply.headers["x-ratelimit-remaining"] == "2"
        # 15:00 UTC is 10:00 EST
        assert reply.headers["x-ratelimit-reset"] == str(14 * 3600)

    def test_no_simulation_is_left_today(self) -> None:
        desk = talk(daily_simulations=2)
        desk.run()
        desk.run()
        reply = desk.post("/simulations", simulation())
        assert reply.status == 429
        assert reply.json["detail"] == "SIMULATION_LIMIT_EXCEEDED"
        assert reply.headers["x-ratelimit-remaining"] == "0"
        assert "Daily simulation limit reached" in reply.json["message"]
        desk.account.clock.pass_by(float(reply.headers["x-ratelimit-reset"]))
        desk.sign_in()
        assert desk.post("/simulations", simulation()).status == 201

    def test_lower_case_type_is_taken(self) -> None:
        desk = talk()
        reply = desk.post("/simulations", {**simulation(), "type": "regular"})
        path = reply.headers["location"].partition(HOST)[2]
        assert desk.finish(path).json["type"] == "REGULAR"

    def test_optional_settings_come_back(self) -> None:
        more = {"maxTrade": "OFF", "testPeriod": "P0Y0M", "simulationMode": "FULL", "maxPosition": None}
        settings = talk().run(**more)["settings"]
        assert {key: settings.get(key) for key in more} == more

    def test_an_error_of_the_code_comes_later_with_its_place(self) -> None:
        desk = talk()
        ended = desk.run(BAD)
        assert ended == {
            "id": ended["id"], "type": "REGULAR", "settings": SETTINGS, "regular": BAD, "status": "ERROR",
            "message": 'Attempted to use unknown variable "clse"',
            "location": {"line": 1, "start": 5, "end": 9, "property": "regular"},
        }  # fmt: skip

    def test_unit_warnings_do_not_fail(self) -> None:
        desk = talk()
        ended = desk.run("close + volume")
        assert ended["status"] == "WARNING"
        checks = desk.get(f"/alphas/{ended['alpha']}").json["is"]["checks"]
        units = next(check for check in checks if check["name"] == "UNITS")
        assert units["result"] == "WARNING"
        assert "Incompatible unit" in units["message"]

    def test_slots(self) -> None:
        desk = talk()
        paths = [desk.start() for _ in range(3)]
        full = desk.post("/simulations", simulation())
        assert (full.status, full.json) == (429, {"detail": "CONCURRENT_SIMULATION_LIMIT_EXCEEDED"})
        desk.finish(paths[1])
        assert desk.post("/simulations", simulation()).status == 201

    def test_a_slot_is_free_once_its_simulation_is_due_though_nobody_polled(self) -> None:
        desk = talk()
        for _ in range(3):
            desk.start()
        desk.account.clock.pass_by(1)
        assert desk.post("/simulations", simulation()).status == 201

    @pytest.mark.parametrize("name", ["X", "..", "%00", "a" * 5000])
    def test_an_unknown_simulation(self, name: str) -> None:
        reply = talk().get(f"/simulations/{name}")
        assert (reply.status, reply.json) == (404, {"detail": "Not found."})


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in SETTINGS.items() if name != key}


REQUIRED = "This field is required."
REFUSED: list[tuple[Any, Any]] = [
    (simulation(region="XXX"), {"settings": {"region": ['"XXX" is not a valid choice.']}}),
    ({**simulation(), "settings": without("region")}, {"settings": {"region": [REQUIRED]}}),
    (
        simulation(instrumentType="CRYPTO"),
        {
            "settings": {
                "instrumentType": ["Instrument type CRYPTO is not available."],
                "region": ["Region USA is not available for instrument type CRYPTO."],
            }
        },
    ),
    (
        simulation(region="GLB"),
        {"settings": {"region": ["Region GLB is not available for instrument type EQUITY."]}},
    ),
    ({"type": "REGULAR", "settings": SETTINGS}, {"regular": [REQUIRED]}),
    ({"settings": SETTINGS, "regular": CODE}, {"type": [REQUIRED]}),
    ({"type": "REGULAR", "regular": CODE}, {"settings": [REQUIRED]}),
    (
        {**simulation(), "settings": "USA"},
        {"settings": {"errors": ["Invalid data. Expected a dictionary, but got str."]}},
    ),
    ("text", {"errors": ["Invalid data. Expected a dictionary, but got str."]}),
    ({**simulation(), "type": "SUPER"}, {"type": ['"SUPER" is not a valid choice.']}),
    ({**simulation(), "type": 1}, {"type": ['"1" is not a valid choice.']}),
    (
        simulation(universe="NOT_A_UNIVERSE"),
        {"settings": {"universe": ['"NOT_A_UNIVERSE" is not a valid choice.']}},
    ),
    (simulation(universe=5), {"settings": {"universe": ["Not a valid string."]}}),
    (simulation(delay=2), {"settings": {"delay": ["Ensure this value is less than or equal to 1."]}}),
    (simulation(delay=True), {"settings": {"delay": ["A valid integer is required."]}}),
    (simulation(decay=-1), {"settings": {"decay": ["Ensure this value is greater than or equal to 0."]}}),
    (simulation(decay=1.5), {"settings": {"decay": ["A valid integer is required."]}}),
    (simulation(decay=None), {"settings": {"decay": ["This field may not be null."]}}),
    (simulation(truncation="0.1"), {"settings": {"truncation": ["A valid number is required."]}}),
    (
        simulation(truncation=2),
        {"settings": {"truncation": ["Ensure this value is less than or equal to 1."]}},
    ),
    (
        simulation(neutralization="COUNTRY"),
        {"settings": {"neutralization": ['"COUNTRY" is not a valid choice.']}},
    ),
    (simulation(pasteurization="on"), {"settings": {"pasteurization": ['"on" is not a valid choice.']}}),
    (simulation(visualization="no"), {"settings": {"visualization": ["Must be a valid boolean."]}}),
    (simulation(language="PYTHON"), {"settings": {"language": ['"PYTHON" is not a valid choice.']}}),
    (simulation(testPeriod="1Y"), {"settings": {"testPeriod": ['"1Y" is not a valid choice.']}}),
    ({**simulation(), "regular": 5}, {"regular": ["Not a valid string."]}),
    ({**simulation(), "regular": "rank(\ud800)"}, {"regular": ["Not a valid string."]}),
    (
        simulation(truncation=10**400),
        {"settings": {"truncation": ["Ensure this value is less than or equal to 1."]}},
    ),
    (simulation(decay=10**400), {"settings": {"decay": ["Ensure this value is less than or equal to 512."]}}),
    (simulation(truncation=1e999), {"detail": "JSON parse error - Infinity is no JSON"}),
    ({**simulation(), "regular": " \n"}, {"regular": ["This field may not be blank."]}),
    (
        {**simulation(), "regular": "a" * 20_001},
        {"regular": ["Ensure this field has no more than 20000 characters."]},
    ),
    ([], {"errors": ["Ensure this field has at least 2 elements."]}),
    ([simulation()], {"errors": ["Ensure this field has at least 2 elements."]}),
    ([simulation()] * 11, {"errors": ["Ensure this field has no more than 10 elements."]}),
    (
        [simulation(), simulation(universe="NOT_A_UNIVERSE")],
        [{}, {"settings": {"universe": ['"NOT_A_UNIVERSE" is not a valid choice.']}}],
    ),
    ([simulation(), 3], [{}, {"errors": ["Invalid data. Expected a dictionary, but got int."]}]),
    (
        [simulation(), simulation(delay=0)],
        [{}, {"settings": {"delay": ["All simulations of a multi-simulation must have the same value."]}}],
    ),
]


class TestRefusedSettings:
    @pytest.mark.parametrize(("body", "said"), REFUSED, ids=range(len(REFUSED)))
    def test_keyed_by_field(self, body: Any, said: Any) -> None:
        desk = talk(level="consultant")
        reply = desk.post("/simulations", body)
        assert (reply.status, reply.json) == (400, said)
        # nothing was spent on it
        assert desk.account.simulations.quota().remaining == 5000

    @pytest.mark.parametrize("raw", [b"", b"{", b"nan", b"\xff", b"[" * 100_000, b'{"a":NaN}', b"1" * 5000])
    def test_what_is_no_json(self, raw: bytes) -> None:
        reply = talk().send("POST", "/simulations", raw=raw)
        assert reply.status == 400
        assert reply.json["detail"].startswith("JSON parse error - ")


class TestMultiSimulations:
    def test_a_parent_has_children_and_no_alphas(self) -> None:
        desk = talk(level="consultant")
        reply = desk.post("/simulations", [simulation(), simulation(GOOD, decay=2)])
        assert reply.status == 201
        path = reply.headers["location"].partition(HOST)[2]
        parent = desk.finish(path).json
        shared = {key: SETTINGS[key] for key in ("instrumentType", "region", "delay", "language")}
        assert parent == {
            "id": path.rpartition("/")[2], "children": parent["children"], "type": "REGULAR",
            "settings": shared, "status": "COMPLETE",
        }  # fmt: skip
        children = [desk.get(f"/simulations/{name}").json for name in parent["children"]]
        assert [child["regular"] for child in children] == [CODE, GOOD]
        assert all(child["parent"] == parent["id"] and child["alpha"] for child in children)

    def test_each_child_counts_and_all_take_one_slot(self) -> None:
        desk = talk(level="consultant")
        reply = desk.post("/simulations", [simulation()] * 10)
        assert reply.headers["x-ratelimit-remaining"] == "4990"
        assert desk.post("/simulations", simulation()).status == 201

    def test_one_bad_expression_ends_all(self) -> None:
        desk = talk(level="consultant")
        reply = desk.post("/simulations", [simulation(), simulation(BAD), simulation(GOOD)])
        parent = desk.finish(reply.headers["location"].partition(HOST)[2]).json
        assert parent["status"] == "ERROR"
        children = [desk.get(f"/simulations/{name}").json for name in parent["children"]]
        assert [child["status"] for child in children] == ["CANCELLED", "ERROR", "CANCELLED"]
        assert [("alpha" in child, "message" in child) for child in children] == [
            (False, False), (False, True), (False, False),
        ]  # fmt: skip
        assert children[1]["location"]["start"] == 5
        assert desk.get("/users/self/alphas").json["count"] == 0

    def test_a_plain_user_may_not(self) -> None:
        desk = talk()
        reply = desk.post("/simulations", [simulation(), simulation()])
        assert (reply.status, reply.json) == (
            403,
            {"detail": "You do not have permission to perform this action."},
        )


class TestAlphas:
    def test_an_alpha(self) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        alpha = desk.get(f"/alphas/{name}").json
        assert {"id", "type", "author", "settings", "regular", "dateCreated", "stage", "status", "is"} <= set(
            alpha
        )
        assert alpha["regular"] == {"code": CODE, "description": None, "operatorCount": 3}
        assert (alpha["stage"], alpha["status"], alpha["dateSubmitted"]) == ("IS", "UNSUBMITTED", None)
        assert alpha["dateCreated"] == "2026-03-02T10:00:00-05:00"
        assert alpha["author"] == desk.get("/users/self").json["id"]
        assert {"pnl", "bookSize", "longCount", "shortCount", "turnover", "returns", "drawdown", "margin",
                "sharpe", "fitness", "checks"} <= set(alpha["is"])  # fmt: skip
        checks = {check["name"]: check["result"] for check in alpha["is"]["checks"]}
        assert set(checks) == CHECKS
        assert checks["SELF_CORRELATION"] == "PENDING"

    def test_properties(self) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        wanted = {"name": "mine", "color": "RED", "tags": ["a", "b"], "category": "X", "favorite": True,
                  "hidden": True, "regular": {"description": "why"}}  # fmt: skip
        reply = desk.send("PATCH", f"/alphas/{name}", {**wanted, "stage": "OS", "is": {}})
        assert reply.status == 200
        alpha = desk.get(f"/alphas/{name}").json
        assert alpha == reply.json
        assert {key: alpha[key] for key in wanted if key != "regular"} == {
            key: value for key, value in wanted.items() if key != "regular"
        }
        assert alpha["regular"] == {"code": CODE, "description": "why", "operatorCount": 3}
        assert alpha["stage"] == "IS"
        desk.send("PATCH", f"/alphas/{name}", {"name": None, "color": None, "tags": []})
        assert desk.get(f"/alphas/{name}").json["name"] is None

    @pytest.mark.parametrize(
        "body",
        [
            {"color": "PINK"}, {"tags": "a"}, {"tags": [1]}, {"hidden": "no"}, {"favorite": None},
            {"name": 3},
            {"regular": "x"}, {"regular": {"description": 3}}, {"name": "a" * 101}, {"name": "\ud800"},
            {"tags": ["\udfff"]},
        ],
    )  # fmt: skip
    def test_properties_that_cannot_be(self, body: dict[str, Any]) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        before = desk.get(f"/alphas/{name}").body
        reply = desk.send("PATCH", f"/alphas/{name}", body)
        assert (reply.status, set(reply.json)) == (400, set(body))
        assert desk.get(f"/alphas/{name}").body == before

    @pytest.mark.parametrize(
        ("method", "rest"),
        [
            ("GET", ""), ("PATCH", ""), ("GET", "/check"), ("POST", "/submit"), ("GET", "/submit"),
            ("GET", "/recordsets"), ("GET", "/recordsets/pnl"), ("GET", "/correlations/self"),
        ],
    )  # fmt: skip
    def test_an_unknown_alpha(self, method: str, rest: str) -> None:
        reply = talk().send(method, f"/alphas/NONE{rest}", {})
        assert (reply.status, reply.json) == (404, {"detail": "Not found."})

    def test_a_check_runs_and_then_answers_what_was_pending(self) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        running = desk.get(f"/alphas/{name}/check")
        assert (running.status, running.is_empty, running.headers["retry-after"]) == (200, True, "1.0")
        desk.account.clock.pass_by(1)
        ended = desk.get(f"/alphas/{name}/check")
        assert ended.is_final
        assert set(ended.json) == {"is"}
        checks = {check["name"]: check for check in ended.json["is"]["checks"]}
        assert set(checks) == CHECKS
        assert checks["SELF_CORRELATION"] == {"name": "SELF_CORRELATION", "result": "PASS", "limit": 0.7}
        assert desk.get(f"/alphas/{name}").json["is"]["checks"] == ended.json["is"]["checks"]

    def test_a_check_of_what_is_submitted(self) -> None:
        desk = talk()
        name = submitted(desk)
        reply = desk.get(f"/alphas/{name}/check")
        assert reply.json == {"is": {"checks": [{"name": "ALREADY_SUBMITTED", "result": "FAIL"}]}}
        assert reply.is_final

    def test_self_correlation_with_what_was_submitted(self) -> None:
        desk = talk()
        first, second = submitted(desk), desk.run(ALIKE)["alpha"]
        desk.get(f"/alphas/{second}/check")
        desk.account.clock.pass_by(1)
        checks = desk.get(f"/alphas/{second}/check").json["is"]["checks"]
        check = next(one for one in checks if one["name"] == "SELF_CORRELATION")
        assert (check["result"], check["limit"]) == ("FAIL", 0.7)
        assert check["value"] > 0.7
        table = desk.get(f"/alphas/{second}/correlations/self").json
        assert table["max"] == check["value"]
        names = [column["name"] for column in table["schema"]["properties"]]
        assert names == ["id", "name", "instrumentType", "region", "universe", "correlation", "sharpe",
                         "returns", "turnover", "fitness", "margin"]  # fmt: skip
        assert [row[0] for row in table["records"]] == [first]
        listed = desk.get("/users/self/alphas?is.selfCorrelation>0.7").json
        assert [one["id"] for one in listed["results"]] == [second]


class TestSubmission:
    def test_taken(self) -> None:
        desk = talk()
        name = desk.run(GOOD)["alpha"]
        begun = desk.post(f"/alphas/{name}/submit")
        assert (begun.status, begun.is_empty, begun.headers["retry-after"]) == (201, True, "1.0")
        assert begun.headers["location"] == f"http://{HOST}/alphas/{name}/submit"
        running = desk.get(f"/alphas/{name}/submit")
        assert (running.status, running.is_empty, running.headers["retry-after"]) == (200, True, "1.0")
        assert desk.get(f"/alphas/{name}").json["status"] == "UNSUBMITTED"
        desk.account.clock.pass_by(1)
        ended = desk.get(f"/alphas/{name}/submit")
        assert (ended.status, ended.is_final) == (200, True)
        assert {check["result"] for check in ended.json["is"]["checks"]} == {"PASS"}
        alpha = desk.get(f"/alphas/{name}").json
        assert (alpha["stage"], alpha["status"]) == ("OS", "ACTIVE")
        assert alpha["dateSubmitted"] == "2026-03-02T10:00:02-05:00"
        # told once; this is what was captured of a submission that had ended
        gone = desk.get(f"/alphas/{name}/submit")
        assert (gone.status, gone.is_empty) == (404, True)

    def test_asked_again_it_begins_nothing_and_ends_without_retry_after(self) -> None:
        desk = talk()
        name = desk.run(GOOD)["alpha"]
        first, second = (desk.post(f"/alphas/{name}/submit") for _ in range(2))
        assert [first.status, second.status] == [201, 201]
        assert not second.is_final
        desk.account.clock.pass_by(1)
        last = [desk.post(f"/alphas/{name}/submit") for _ in range(3)]
        assert {(reply.status, reply.is_final, reply.is_empty) for reply in last} == {(201, True, True)}
        submitted_at = desk.get(f"/alphas/{name}").json["dateSubmitted"]
        desk.account.clock.pass_by(100)
        desk.post(f"/alphas/{name}/submit")
        assert desk.get(f"/alphas/{name}").json["dateSubmitted"] == submitted_at

    def test_refused_at_once_where_a_check_has_failed(self) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        reply = desk.post(f"/alphas/{name}/submit")
        assert (reply.status, reply.is_final) == (403, True)
        assert "FAIL" in {check["result"] for check in reply.json["is"]["checks"]}
        assert desk.get(f"/alphas/{name}/submit").status == 404
        assert desk.get(f"/alphas/{name}").json["status"] == "UNSUBMITTED"

    def test_refused_in_the_end_where_it_is_like_another(self) -> None:
        desk = talk()
        submitted(desk)
        name = desk.run(ALIKE)["alpha"]
        assert desk.post(f"/alphas/{name}/submit").status == 201
        desk.account.clock.pass_by(1)
        ended = desk.get(f"/alphas/{name}/submit")
        assert ended.status == 403
        failed = [check["name"] for check in ended.json["is"]["checks"] if check["result"] == "FAIL"]
        assert failed == ["SELF_CORRELATION"]
        assert desk.get(f"/alphas/{name}").json["status"] == "UNSUBMITTED"

    def test_never_begun(self) -> None:
        desk = talk()
        reply = desk.get(f"/alphas/{desk.run(GOOD)['alpha']}/submit")
        assert (reply.status, reply.is_empty) == (404, True)


class TestRecordsets:
    def test_those_that_are_listed_are_served(self) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        listed = desk.get(f"/alphas/{name}/recordsets").json
        names = {one["name"] for one in listed["results"]}
        assert listed["count"] == len(names)
        assert {"pnl", "daily-pnl", "sharpe", "turnover", "yearly-stats", "coverage"} <= names
        kinds = {"string", "integer", "decimal", "amount", "percent", "permyriad", "date", "year"}
        for one in names:
            table = desk.get(f"/alphas/{name}/recordsets/{one}").json
            assert set(table) == {"schema", "records"}
            assert table["schema"]["name"] == one
            assert {column["type"] for column in table["schema"]["properties"]} <= kinds
            assert {len(row) for row in table["records"]} == {len(table["schema"]["properties"])}

    def test_daily_pnl_is_the_difference_of_pnl(self) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        total = desk.get(f"/alphas/{name}/recordsets/pnl").json["records"]
        daily = desk.get(f"/alphas/{name}/recordsets/daily-pnl").json["records"]
        steps = [(now[0], now[1] - before[1]) for before, now in pairwise(total)]
        assert [date for date, _ in daily[1:]] == [date for date, _ in steps]
        assert [value for _, value in daily[1:]] == pytest.approx([step for _, step in steps], abs=0.02)

    def test_no_day_beyond_the_sample_is_served(self) -> None:
        desk = talk()
        name = desk.run()["alpha"]
        last = str(desk.account.market.end)
        for one in ("pnl", "daily-pnl", "turnover", "coverage"):
            assert desk.get(f"/alphas/{name}/recordsets/{one}").json["records"][-1][0] == last

    def test_another_is_unknown(self) -> None:
        desk = talk()
        assert desk.get(f"/alphas/{desk.run()['alpha']}/recordsets/nothing").status == 404


class TestCorrelations:
    @pytest.mark.parametrize("kind", ["self", "prod", "power-pool"])
    def test_without_others(self, kind: str) -> None:
        desk = talk()
        table = desk.get(f"/alphas/{desk.run()['alpha']}/correlations/{kind}").json
        assert (table["max"], table["min"], table["records"]) == (None, None, [])
        assert table["schema"]["properties"]

    def test_prod_comes_in_bins(self) -> None:
        desk = talk()
        submitted(desk)
        table = desk.get(f"/alphas/{desk.run(VALUE)['alpha']}/correlations/prod").json
        assert [column["name"] for column in table["schema"]["properties"]] == ["min", "max", "alphas"]
        assert len(table["records"]) == 20
        assert sum(row[2] for row in table["records"]) == 1

    def test_another_kind_is_unknown(self) -> None:
        desk = talk()
        assert desk.get(f"/alphas/{desk.run()['alpha']}/correlations/others").status == 404


class TestData:
    WHERE = "instrumentType=EQUITY&region=USA&delay=1&universe=TOP3000"

    def test_fields(self) -> None:
        page = talk().get(f"/data-fields?{self.WHERE}&limit=50&offset=0").json
        assert page["count"] == len(page["results"]) > 10
        keys = {
            "id", "description", "dataset", "category", "subcategory", "region", "delay", "universe", "type",
            "dateCoverage", "coverage", "userCount", "alphaCount", "pyramidMultiplier", "themes",
        }  # fmt: skip
        assert all(keys <= set(field) for field in page["results"])
        assert all(set(field["dataset"]) == {"id", "name"} for field in page["results"])

    def test_fields_by_type_data_set_and_words(self) -> None:
        desk = talk()
        groups = desk.get(f"/data-fields?{self.WHERE}&type=GROUP").json["results"]
        assert groups
        assert {field["type"] for field in groups} == {"GROUP"}
        # what a client leaves open it sends as an empty value
        everything = desk.get(f"/data-fields?{self.WHERE}&type=&search=").json["count"]
        assert everything == desk.get("/data-fields").json["count"]
        prices = desk.get(f"/data-fields?{self.WHERE}&dataset.id=pv1").json["results"]
        assert {field["dataset"]["id"] for field in prices} == {"pv1"}
        found = desk.get(f"/data-fields?{self.WHERE}&search=VOLUM").json["results"]
        assert "volume" in {field["id"] for field in found}
        assert len(found) < everything

    @pytest.mark.parametrize("other", ["region=GLB", "universe=TOP9", "delay=7", "instrumentType=CRYPTO"])
    def test_another_place_has_none(self, other: str) -> None:
        assert talk().get(f"/data-fields?{other}").json["count"] == 0

    def test_pages_cover_the_whole(self) -> None:
        desk = talk()
        whole = desk.get("/data-fields").json["results"]
        parts = []
        for offset in range(0, len(whole), 7):
            parts += desk.get(f"/data-fields?limit=7&offset={offset}").json["results"]
        assert parts == whole

    @pytest.mark.parametrize(
        "query", ["limit=51", "limit=0", "limit=x", "offset=-1", "offset=1e3", "limit=50&offset=9999"]
    )
    def test_pages_that_cannot_be(self, query: str) -> None:
        assert talk().get(f"/data-fields?{query}").status == 400

    def test_data_sets(self) -> None:
        desk = talk()
        page = desk.get(f"/data-sets?{self.WHERE}&theme=false").json
        keys = {"id", "name", "description", "category", "subcategory", "region", "delay", "universe",
                "dateCoverage", "coverage", "valueScore", "userCount", "alphaCount", "fieldCount",
                "pyramidMultiplier", "themes", "researchPapers"}  # fmt: skip
        assert page["count"] == len(page["results"]) > 0
        assert all(keys <= set(one) for one in page["results"])
        first = page["results"][0]
        assert desk.get(f"/data-sets/{first['id']}").json == first
        assert desk.get("/data-sets/none").status == 404
        assert desk.get(f"/data-sets?{self.WHERE}&category={first['category']['id']}").json["count"] == 1
        assert desk.get("/data-sets?theme=true").json["count"] == 0
        assert desk.get("/data-sets?theme=ALL").status == 400

    def test_one_field(self) -> None:
        desk = talk()
        assert desk.get("/data-fields/close").json["id"] == "close"
        assert desk.get("/data-fields/none").status == 404

    def test_categories(self) -> None:
        desk = talk()
        listed = desk.get("/data-categories").json
        sets = desk.get("/data-sets").json["results"]
        assert {one["id"] for one in listed} == {one["category"]["id"] for one in sets}
        assert sum(one["fieldCount"] for one in listed) == desk.get("/data-fields").json["count"]

    def test_operators_are_a_bare_list(self) -> None:
        user, consultant = (talk(level=level).get("/operators").json for level in ("user", "consultant"))
        assert len(user) == 66
        assert {one["name"] for one in user} < {one["name"] for one in consultant}
        keys = {"name", "category", "scope", "definition", "description", "documentation", "level"}
        assert all(set(one) == keys for one in consultant)


class TestUserAlphas:
    def test_envelope_order_and_pages(self) -> None:
        desk = talk()
        names = [desk.run(f"rank(ts_delta(close, {days}))")["alpha"] for days in (3, 4, 5)]
        page = desk.get("/users/self/alphas?limit=2&offset=0&order=-dateCreated").json
        assert set(page) == {"count", "next", "previous", "results"}
        assert (page["count"], page["previous"]) == (3, None)
        assert [one["id"] for one in page["results"]] == [names[2], names[1]]
        assert page["next"].startswith(f"http://{HOST}/users/self/alphas?")
        rest = desk.get(page["next"].partition(HOST)[2]).json
        assert [one["id"] for one in rest["results"]] == [names[0]]
        assert rest["next"] is None
        assert desk.get(rest["previous"].partition(HOST)[2]).json["results"] == page["results"]
        by_sharpe = desk.get("/users/self/alphas?order=is.sharpe").json["results"]
        values = [one["is"]["sharpe"] for one in by_sharpe]
        assert values == sorted(values)

    def test_filters(self) -> None:
        desk = talk()
        good = submitted(desk)
        other = desk.run("rank(ts_delta(close, 5))", decay=9, universe="TOP1000")["alpha"]
        desk.send("PATCH", f"/alphas/{other}", {"hidden": True, "name": "Late bird", "tags": ["x", "y"]})

        def listed(query: str) -> list[str]:
            reply = desk.get(f"/users/self/alphas?{query}")
            assert reply.status == 200, reply.body
            return [one["id"] for one in reply.json["results"]]

        assert listed("") == [other, good]
        assert listed("status=UNSUBMITTED") == listed("stage=IS") == [other]
        assert listed("status=ACTIVE&stage=OS") == [good]
        # a word that is no status leaves nothing, silently, as on the platform
        assert listed("status=INDUSTRY") == []
        assert listed("hidden=false") == listed("is.sharpe>=1.25") == listed("settings.decay<9") == [good]
        assert listed("is.sharpe%3E%3D1.25") == listed("is.fitness>1&is.turnover<0.7") == [good]
        assert (
            listed("hidden=true")
            == listed("settings.universe=TOP1000")
            == listed("settings.decay=9")
            == [other]
        )
        assert listed("name~late") == listed("name=Late%20bird") == listed("tag=x") == [other]
        assert listed("settings.region=USA&settings.delay=1&type=REGULAR&favorite=false") == [other, good]
        assert listed("settings.region=GLB") == listed("color=RED") == []
        assert listed("dateSubmitted>2026-01-01T00:00:00-05:00") == [good]
        assert listed("os.sharpe60>1") == []

    def test_ranges_of_dates(self) -> None:
        desk = talk()
        first = desk.run()["alpha"]
        desk.account.clock.pass_by(3600)
        second = desk.run()["alpha"]
        between = "2026-03-02T15:30:00%2B00:00"
        after = desk.get(f"/users/self/alphas?dateCreated>={between}").json["results"]
        before = desk.get(f"/users/self/alphas?dateCreated<{between}").json["results"]
        assert [[one["id"] for one in part] for part in (after, before)] == [[second], [first]]
        # a plus that is not escaped is a space
        assert desk.get("/users/self/alphas?dateCreated>2026-03-02T15:30:00+00:00").status == 400

    @pytest.mark.parametrize(
        "query",
        [
            "limit=101", "limit=0", "limit=ten", "offset=-1", "limit=100&offset=9901", "order=is",
            "hidden=maybe", "is.sharpe>=abc", "is.sharpe>nan", "dateCreated>yesterday",
        ],
    )  # fmt: skip
    def test_what_cannot_be_asked(self, query: str) -> None:
        desk = talk()
        desk.run()
        reply = desk.get(f"/users/self/alphas?{query}")
        assert reply.status == 400
        assert isinstance(reply.json, dict)

    def test_the_user(self) -> None:
        desk = talk()
        assert desk.get("/users/self").json["username"] == "me@example.com"


class TestPaths:
    @pytest.mark.parametrize(
        "path", ["/", "/nothing", "/alphas", "/simulations/x/y", "/users/other", "//", "/%2e%2e"]
    )
    def test_unknown(self, path: str) -> None:
        reply = talk().get(path)
        assert (reply.status, reply.json) == (404, {"detail": "Not found."})

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("PUT", "/simulations", "OPTIONS, POST"), ("DELETE", "/alphas/X", "GET, PATCH"),
            ("POST", "/operators", "GET"), ("BREW", "/authentication", "DELETE, GET, POST"),
        ],
    )  # fmt: skip
    def test_methods(self, method: str, path: str, allowed: str) -> None:
        reply = talk().send(method, path)
        assert (reply.status, reply.json) == (405, {"detail": f'Method "{method}" not allowed.'})
        assert reply.headers["allow"] == allowed

    def test_head_is_get_without_a_body(self) -> None:
        desk = talk()
        reply = desk.send("HEAD", "/operators")
        assert (reply.status, reply.body) == (200, b"")
        assert reply.headers["content-type"] == "application/json"
