from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from assay.brain import BiometricRequired
from assay.brain.client import BrainClient, Credentials, Session
from assay.config import Secret
from assay.errors import AssayError, ProviderAuth, ProviderBadReply, Refusal

from .conftest import Desk
from .server import PASSWORD, USER, Answer, alpha, is_basic, refused, session, wait

AUTH = "/authentication"
ALPHA = "/alphas/A1"


def read(client: BrainClient) -> Any:
    return client.alpha("A1")


def sign_ins(desk: Desk) -> int:
    return len(desk.platform.asked("POST", AUTH))


def test_the_password_is_sent_once_and_the_cookie_after(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))

    async def work(client: BrainClient) -> None:
        await client.alpha("A1")
        await client.alpha("A1")

    desk.act(work)
    first, *later = desk.platform.seen
    assert (first.method, first.path) == ("POST", AUTH)
    assert is_basic(first)
    assert len(later) == 2
    assert all("authorization" not in one.headers and one.headers["cookie"] == "t=jwt-1" for one in later)


def test_login_says_who_how_long_and_what_is_permitted(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, session(3600, "x", "CONSULTANT", "MULTI_SIMULATION"))
    found = desk.act(lambda client: client.login(3600))
    assert found == Session("AB12345", 3600.0, ("CONSULTANT", "MULTI_SIMULATION"))
    assert desk.platform.seen[0].body == {"expiry": 3600}


def test_a_session_cannot_be_longer_than_the_platform_gives(desk: Desk) -> None:
    error = desk.raises(Refusal, lambda client: client.login(14401))
    assert error.reason.code == "bad_settings"
    assert desk.platform.seen == []


def test_an_account_without_both_names_is_told_which_is_missing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"BRAIN_USERNAME={USER}\n")
    with pytest.raises(ProviderAuth, match="BRAIN_PASSWORD not set") as caught:
        Credentials.load(tmp_path, environ={"BRAIN_USERNAME": USER})
    assert "--local" in (caught.value.fix or "")
    found = Credentials.load(tmp_path, environ={"BRAIN_PASSWORD": PASSWORD})
    assert found == Credentials(Secret(USER), Secret(PASSWORD))
    assert USER not in repr(found)
    assert PASSWORD not in repr(found)


@pytest.mark.parametrize("name", ["BRAIN_USERNAME", "BRAIN_PASSWORD"])
def test_an_account_that_is_no_text_is_named_and_not_shown(name: str) -> None:
    known = {"BRAIN_USERNAME": "a", "BRAIN_PASSWORD": "b", name: "pass\udcff"}
    with pytest.raises(AssayError, match=f"{name} is not UTF-8") as caught:
        Credentials.load(environ=known)
    assert "pass" not in f"{caught.value.message} {caught.value.fix}"


def test_a_session_is_renewed_before_it_ends(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, session(14400, "one"), session(14400, "two"))
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))

    async def work(client: BrainClient) -> None:
        await client.alpha("A1")
        desk.time.now += 14400 - 601
        await client.alpha("A1")
        desk.time.now += 2
        await client.alpha("A1")

    desk.act(work)
    assert [one.headers["cookie"] for one in desk.platform.asked("GET", ALPHA)] == ["t=one", "t=one", "t=two"]


def test_a_session_shorter_than_the_margin_is_not_renewed_at_every_request(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, session(300))
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))

    async def work(client: BrainClient) -> None:
        await client.alpha("A1")
        await client.alpha("A1")

    desk.act(work)
    assert sign_ins(desk) == 1


def test_a_cookie_that_a_skewed_clock_takes_for_expired_is_sent(desk: Desk) -> None:
    gone = "t=jwt; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; Secure"
    told = session(14400)
    desk.platform.on("POST", AUTH, Answer(told.body, 201, {"Set-Cookie": gone}))
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))
    assert desk.act(read).id == "A1"
    assert sign_ins(desk) == 1


def test_a_session_that_ended_early_is_renewed_and_the_request_repeated(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, session(14400, "one"), session(14400, "two"))
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))

    async def work(client: BrainClient) -> None:
        await client.login()
        desk.platform.expire()
        assert (await client.alpha("A1")).id == "A1"

    desk.act(work)
    assert sign_ins(desk) == 2


def test_requests_at_once_share_one_renewal(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, session(14400, "one"), session(14400, "two"))
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))

    async def work(client: BrainClient) -> None:
        await client.login()
        desk.platform.expire()
        await asyncio.gather(*(client.alpha("A1") for _ in range(8)))

    desk.act(work)
    assert sign_ins(desk) == 2


def test_a_401_that_stays_ends_with_one_renewal(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, refused(401, "Incorrect authentication credentials."))
    error = desk.raises(ProviderAuth, read)
    assert error.status == 401
    assert sign_ins(desk) == 2


@pytest.mark.parametrize(
    "stale", [Answer(status=204), Answer(b"", 200, content_type="text/html; charset=utf-8")]
)
def test_a_stale_session_is_renewed_without_a_401(desk: Desk, stale: Answer) -> None:
    desk.platform.on("GET", ALPHA, stale, Answer(alpha("A1")))
    assert desk.act(read).id == "A1"
    assert sign_ins(desk) == 2


def test_a_session_that_stays_stale_is_named(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, Answer(b"", 200, content_type="text/html"))
    error = desk.raises(ProviderAuth, read)
    assert "GET /alphas/A1" in error.message
    assert sign_ins(desk) == 2


def test_refused_credentials_are_not_tried_twice(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, refused(401, "INVALID_CREDENTIALS"))

    async def work(client: BrainClient) -> list[Any]:
        return await asyncio.gather(*(client.alpha("A1") for _ in range(5)), return_exceptions=True)

    errors = desk.act(work)
    assert {error.code for error in errors} == {"INVALID_CREDENTIALS"}
    assert all("BRAIN_PASSWORD" in error.fix for error in errors)
    assert len(desk.platform.seen) == 1


def test_too_many_sign_ins_are_told_apart(desk: Desk) -> None:
    body = {"detail": "INVALID_CREDENTIALS", "recaptcha": ["This field is required."]}
    desk.platform.on("POST", AUTH, Answer(body, 401))
    error = desk.raises(ProviderAuth, lambda client: client.login())
    assert "too many sign-ins" in error.message
    assert "browser" in error.fix


def persona(location: str = "/authentication/persona?inquiry=inq_1") -> Answer:
    headers = {"WWW-Authenticate": "persona", "Location": location}
    return Answer({"inquiry": "inq_1"}, 401, headers)


def test_a_biometric_sign_in_names_the_whole_address(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, persona())
    error = desk.raises(BiometricRequired, read)
    assert error.url == f"{desk.platform.url}/authentication/persona?inquiry=inq_1"
    assert error.url in error.fix
    assert len(desk.platform.seen) == 1


def test_a_biometric_sign_in_is_shown_and_asked_for_until_it_is_done(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, persona())
    desk.platform.on(
        "POST", f"{AUTH}/persona", persona(), Answer(end="reset"), wait(2, status=200), session()
    )
    shown: list[str] = []
    found = desk.act(lambda client: client.login(), on_biometric=shown.append)
    assert found.user == "AB12345"
    assert shown == [f"{desk.platform.url}/authentication/persona?inquiry=inq_1"]
    assert desk.time.slept == [5.0, 5.0, 2.0]


def test_a_biometric_sign_in_that_nobody_does_ends(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, persona())
    desk.platform.on("POST", f"{AUTH}/persona", persona())
    error = desk.raises(BiometricRequired, lambda client: client.login(), on_biometric=lambda url: None)
    assert "nobody completed" in error.message
    assert sum(desk.time.slept) == 900.0


def test_a_biometric_sign_in_on_another_host_is_refused(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, persona("https://elsewhere.example/persona"))
    error = desk.raises(Refusal, lambda client: client.login(), on_biometric=lambda url: None)
    assert error.reason.code == "host_not_allowed"


def test_the_session_is_asked_for_without_signing_in(desk: Desk) -> None:
    assert desk.act(lambda client: client.session()) is None
    assert desk.platform.seen == []

    async def work(client: BrainClient) -> tuple[Any, Any]:
        await client.login()
        desk.platform.on("GET", AUTH, Answer(session(7200).body), Answer(status=204))
        return await client.session(), await client.session()

    told, gone = desk.act(work)
    assert told == Session("AB12345", 7200.0)
    assert gone is None
    assert sign_ins(desk) == 1


def test_logging_out_ends_the_session(desk: Desk) -> None:
    desk.platform.on("DELETE", AUTH, Answer(status=204))
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))

    async def work(client: BrainClient) -> None:
        await client.login()
        await client.logout()
        await client.logout()
        await client.alpha("A1")

    desk.act(work)
    assert len(desk.platform.asked("DELETE", AUTH)) == 1
    assert sign_ins(desk) == 2


def test_a_session_is_kept_between_two_clients_for_its_owner_alone(desk: Desk, tmp_path: Path) -> None:
    kept = tmp_path / "cache" / "session.json"
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))
    desk.platform.on("GET", AUTH, Answer(session(9000).body))
    desk.act(read, session_file=kept)
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    desk.act(read, session_file=kept)
    assert sign_ins(desk) == 1
    assert len(desk.platform.asked("GET", AUTH)) == 1
    desk.act(read, session_file=kept, credentials=Credentials(Secret("other"), Secret(PASSWORD)))
    assert sign_ins(desk) == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"owner": 3}'])
def test_a_damaged_session_file_costs_a_sign_in_and_no_more(desk: Desk, tmp_path: Path, content: str) -> None:
    kept = tmp_path / "session.json"
    kept.write_text(content)
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))
    assert desk.act(read, session_file=kept).id == "A1"
    assert json.loads(kept.read_text())["cookies"] == {"t": "jwt-1"}


@pytest.mark.parametrize("where", ["folder", "file"])
def test_a_session_that_cannot_be_kept_is_named(desk: Desk, tmp_path: Path, where: str) -> None:
    if where == "folder":
        (tmp_path / "folder").write_text("in the way")
    else:
        (tmp_path / "folder" / "session.json").mkdir(parents=True)
    kept = tmp_path / "folder" / "session.json"
    for work in (lambda client: client.login(), read):
        error = desk.raises(AssayError, work, session_file=kept)
        assert str(kept) in str(error.where)


def test_a_kept_session_that_ended_is_replaced(desk: Desk, tmp_path: Path) -> None:
    kept = tmp_path / "session.json"
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))
    desk.act(read, session_file=kept)
    desk.platform.expire()
    assert desk.act(read, session_file=kept).id == "A1"
    assert sign_ins(desk) == 2


@pytest.mark.parametrize("body", [b"{", b"[]", {"user": {}}, {"user": {"id": "x"}, "token": {"expiry": "?"}}])
def test_a_session_of_another_shape_is_a_bad_reply(desk: Desk, body: Any) -> None:
    desk.platform.on("POST", AUTH, Answer(body, 201, {"Set-Cookie": "t=x"}))
    error = desk.raises(ProviderBadReply, lambda client: client.login())
    assert "POST /authentication" in error.message


def test_a_session_without_a_cookie_is_a_bad_reply(desk: Desk) -> None:
    desk.platform.on("POST", AUTH, Answer(session().body, 201))
    assert "cookie" in desk.raises(ProviderBadReply, lambda client: client.login()).message


def test_no_error_holds_password_cookie_or_header(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    echo = f"no: {PASSWORD} and Cookie t=secret-cookie-value"
    desk.platform.on("POST", AUTH, session(14400, "secret-cookie-value"))
    answers = [refused(403, "no"), Answer("{", 200), refused(500, echo), Answer(end="reset")]
    errors = []
    for answer in answers:
        desk.platform.on("GET", ALPHA, answer)
        errors.append(desk.raises(Exception, read))
    for error in errors:
        chain = [error, error.__cause__, error.__context__]
        text = " ".join(f"{one!r} {vars(one) if one else ''}" for one in chain)
        assert PASSWORD not in text
        assert "secret-cookie-value" not in text
        assert "Basic " not in text
    assert PASSWORD not in caplog.text
    assert "secret-cookie-value" not in caplog.text


def test_a_question_that_was_not_answered_costs_no_sign_in(desk: Desk, tmp_path: Path) -> None:
    kept = tmp_path / "session.json"
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))
    desk.act(read, session_file=kept)
    desk.platform.on("GET", AUTH, refused(503, "x"), Answer(end="reset"), Answer(session(9000).body))
    assert desk.act(read, session_file=kept).id == "A1"
    assert sign_ins(desk) == 1
