"""Signing in, the door in front of every page, and what a session is worth."""

import re
from datetime import timedelta
from ipaddress import ip_network

import pytest
from fastapi.routing import APIRoute

from monitor.domain.access import FREE_TRIES, AccessEventKind, ApiToken, Role, Scope
from monitor.web.app import build
from monitor.web.pages import Pages
from tests.review_scene import Scene
from tests.web.conftest import TOKEN, Forms, context_of, words
from tests.web.people import PASSWORD, SAME, Browser, add_user

PAGES = ["/", "/runs/nightly-2026-11-29", "/account", "/audit"]
PAGES += [f"/exports/{kind}.{form}" for kind in ("proposals", "observations", "history") for form in ("csv", "xlsx")]
OPEN = {
    "/a/{token}",
    "/a/{token}/decide",
    "/a/{token}/r/{batch}",
    "/a/{token}/fresh",
    "/sign-in",
    "/healthz",
    "/readyz",
}


@pytest.fixture
def anna(scene: Scene) -> Browser:
    """The browser of Anna, who may approve and has not signed in yet."""
    add_user(scene)
    return Browser(scene)


def routes_of(scene: Scene) -> list[APIRoute]:
    """Return every route of the application, those of included routers too."""
    context = context_of(scene)
    found: list[APIRoute] = []
    waiting = list(build(context, Pages(context)).routes)
    while waiting:
        route = waiting.pop()
        inner = getattr(route, "original_router", None)
        waiting += inner.routes if inner is not None else []
        found += [route] if isinstance(route, APIRoute) else []
    return found


def events(scene: Scene) -> list[tuple[AccessEventKind, str]]:
    with scene.store.read() as unit:
        return [(event.kind, event.name) for event in reversed(unit.access.events(100))]


def test_until_somebody_can_sign_in_this_machine_may_look_and_change_nothing(scene: Scene) -> None:
    browser = Browser(scene)

    assert browser.get("/").status_code == 200
    assert "this machine only" in browser.get("/").text
    assert browser.get("/api/status").status_code == 200
    assert browser.send("/account/password", {"old": "x"}).status_code == 403
    assert "monitor users add" in words(browser.send("/account/password", {}).text)


def test_the_sign_in_page_says_how_the_first_user_is_added(scene: Scene) -> None:
    told = "<code>monitor users add NAME</code>"
    before = Browser(scene).get("/sign-in").text
    add_user(scene)

    assert told in before
    assert told not in Browser(scene).get("/sign-in").text


def test_a_browser_led_here_under_another_name_sees_nothing(scene: Scene) -> None:
    """DNS rebinding: a page of evil.example lets its own name point at this machine."""
    for path in ("/", "/api/status"):
        assert Browser(scene, base="http://evil.example:8080").get(path).status_code == 403
    for name in ("localhost:8080", "127.0.0.1", "[::1]:8080"):
        assert Browser(scene, base=f"http://{name}").get("/").status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_with_the_first_user_every_page_asks_for_a_sign_in(anna: Browser, path: str) -> None:
    answer = anna.get(path)

    assert answer.status_code == 303
    assert answer.headers["location"] == f"/sign-in?next={path}"
    assert anna.get("/api/status").status_code == 401


def test_signing_in_leads_to_where_somebody_wanted_to_go(anna: Browser) -> None:
    answer = anna.sign_in(target="/runs/nightly-2026-11-29")

    assert (answer.status_code, answer.headers["location"]) == (303, "/runs/nightly-2026-11-29")
    assert anna.get("/runs/nightly-2026-11-29").status_code == 200
    assert anna.get("/api/status").status_code == 200
    assert events(anna.scene) == [(AccessEventKind.SIGNED_IN, "anna")]


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x", "", "/sign-out"]
)
def test_signing_in_never_leads_to_another_site(anna: Browser, target: str) -> None:
    assert anna.sign_in(target=target).headers["location"] == "/"


def test_the_cookie_is_kept_from_scripts_and_other_sites(anna: Browser) -> None:
    cookie = anna.sign_in().headers["set-cookie"]

    assert cookie.startswith("monitor=")
    for part in ("HttpOnly", "Path=/", "SameSite=lax", "Max-Age=604800"):
        assert part in cookie
    assert "Domain" not in cookie


def test_over_https_the_cookie_is_for_this_host_and_https_only(scene: Scene) -> None:
    add_user(scene)
    scene.review(public_url="https://prices.brand.example")
    browser = Browser(scene, base="https://prices.brand.example")

    cookie = browser.sign_in().headers["set-cookie"]

    assert cookie.startswith("__Host-monitor=")
    assert "Secure" in cookie
    assert browser.get("/").status_code == 200


def test_nothing_that_was_sent_is_stored_as_it_was(anna: Browser) -> None:
    secret = re.search(r"monitor=([^;]+)", anna.sign_in().headers["set-cookie"])
    assert secret is not None

    with anna.scene.store.writer.begin() as connection:
        rows = [
            str(connection.exec_driver_sql(f'SELECT * FROM "{t}"').all())
            for t in ("users", "sessions", "access_events")
        ]
    assert not [row for row in rows if secret[1] in row or PASSWORD in row]
    assert "$argon2id$" in rows[0]


@pytest.mark.parametrize(
    ("name", "password"), [("anna", "wrong words here"), ("zoe", PASSWORD), ("", ""), ("Anna\x00", "x")]
)
def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(anna: Browser, name: str, password: str) -> None:
    answer, other = anna.sign_in(name, password), anna.sign_in("nobody-at-all", "nothing right")

    def shown(page: str) -> str:
        return re.sub(r'value="[^"]*"', "", page)

    assert answer.status_code == other.status_code == 403
    assert shown(answer.text) == shown(other.text)
    assert anna.get("/").status_code == 303


def test_what_an_unknown_person_typed_as_a_name_is_not_recorded(anna: Browser) -> None:
    """People type passwords into the wrong field."""
    anna.sign_in("my-secret-password-2026", "anna")
    anna.sign_in("anna", "wrong words here")

    assert events(anna.scene) == [
        (AccessEventKind.REFUSED, "somebody unknown"),
        (AccessEventKind.REFUSED, "anna"),
    ]


def test_wrong_tries_are_slowed_down_even_for_the_right_password(anna: Browser) -> None:
    tried = [anna.sign_in("anna", f"wrong words {n}").status_code for n in range(FREE_TRIES)]

    locked = anna.sign_in()

    assert tried == [403] * FREE_TRIES
    assert locked.status_code == 429
    assert int(locked.headers["retry-after"]) > 0
    anna.scene.clock.forward(seconds=3)
    assert anna.sign_in().status_code == 303
    assert Browser(anna.scene).sign_in("anna", "wrong once more").status_code == 403  # counted anew


def test_unknown_names_are_slowed_down_like_known_ones(anna: Browser) -> None:
    for n in range(FREE_TRIES):
        anna.sign_in("nobody", f"wrong words {n}")

    assert anna.sign_in("nobody", "again").status_code == 429
    assert anna.sign_in().status_code == 303  # another name from this machine is not held up by it


def test_tries_from_one_network_are_slowed_down_whatever_the_names(scene: Scene) -> None:
    add_user(scene)
    browser = Browser(scene, given={"proxies": (ip_network("127.0.0.1"),)})
    browser.client = browser.client.__class__(
        browser.client.app, base_url=browser.base, client=("127.0.0.1", 1), follow_redirects=False
    )
    for n in range(FREE_TRIES):
        browser.client.headers["x-forwarded-for"] = f"203.0.113.{n}"
        browser.sign_in(f"nobody-{n}", "wrong words")

    assert browser.sign_in().status_code == 429
    browser.client.headers["x-forwarded-for"] = "198.51.100.7"
    assert browser.sign_in().status_code == 303


def test_a_forged_forwarded_address_is_not_believed(scene: Scene) -> None:
    add_user(scene)
    browser = Browser(scene, given={"proxies": ()})
    browser.client = browser.client.__class__(
        browser.client.app, base_url=browser.base, client=("203.0.113.9", 1), follow_redirects=False
    )
    for n in range(FREE_TRIES):
        browser.client.headers["x-forwarded-for"] = f"198.51.{n}.1"
        browser.sign_in(f"nobody-{n}", "wrong words")

    assert browser.sign_in().status_code == 429


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {},
    ],
)
def test_a_form_of_another_site_signs_nobody_in_and_changes_nothing(anna: Browser, headers: dict[str, str]) -> None:
    form = Forms(anna.get("/sign-in").text).as_rendered() | {"name": "anna", "password": PASSWORD}
    assert anna.send("/sign-in", form, headers).status_code == 403

    assert anna.sign_in().status_code == 303
    change = {
        "form_token": anna.form_token(),
        "old": PASSWORD,
        "new": "other quiet words",
        "again": "other quiet words",
    }
    assert anna.send("/account/password", change, headers).status_code == 403
    assert Browser(anna.scene).sign_in().status_code == 303


def test_a_sign_in_form_of_another_browser_is_refused(anna: Browser) -> None:
    form = Forms(Browser(anna.scene).get("/sign-in").text).as_rendered()
    anna.get("/sign-in")

    assert anna.send("/sign-in", form | {"name": "anna", "password": PASSWORD}).status_code == 403


def test_every_route_that_changes_something_refuses_a_form_without_its_token(anna: Browser) -> None:
    """Whatever page is added: one that a cookie opens and that forgets the token is found here."""
    assert anna.sign_in().status_code == 303
    posts = {route.path for route in routes_of(anna.scene) if "POST" in route.methods} - OPEN
    forms = sorted(path for path in posts if not path.startswith("/api/"))

    assert {"/sign-out", "/account/password", "/account/sessions"} <= set(forms)
    for path in forms:
        concrete = re.sub(r"{[^}]+}", "1", path)
        for form in ({"x": "y"}, {"form_token": "0" * 64}):
            assert anna.send(concrete, form).status_code == 403, path
    assert anna.get("/account").status_code == 200


def test_every_route_is_behind_the_door_unless_listed(anna: Browser) -> None:
    paths = {route.path for route in routes_of(anna.scene)} - OPEN - {"/api/approvals", "/metrics"}
    assert {"/", "/runs/{run_id}", "/api/status"} <= paths
    for path in sorted(paths):
        if not path.startswith("/static/"):
            concrete = re.sub(r"{[^}]+}", "nightly-2026-11-29", path)
            assert anna.get(concrete).status_code in (303, 401), path


def test_signing_out_ends_the_session_itself(anna: Browser) -> None:
    anna.sign_in()
    cookie = dict(anna.client.cookies)

    answer = anna.send("/sign-out", {"form_token": anna.form_token()})

    assert answer.headers["location"] == "/sign-in"
    assert anna.get("/").status_code == 303
    anna.client.cookies.update(cookie)  # somebody kept a copy
    assert anna.get("/").status_code == 303


def test_a_session_ends_when_unused_and_in_the_end_anyhow(anna: Browser) -> None:
    anna.sign_in()
    anna.scene.clock.forward(hours=11)
    assert anna.get("/").status_code == 200
    anna.scene.clock.forward(hours=11)
    assert anna.get("/").status_code == 200
    for _ in range(16):
        anna.scene.clock.forward(hours=10)
        last = anna.get("/").status_code
    assert last == 303

    anna.sign_in()
    anna.scene.clock.forward(hours=13)
    assert anna.get("/").status_code == 303


def test_changing_the_password_signs_every_other_browser_out(anna: Browser) -> None:
    other = Browser(anna.scene)
    anna.sign_in()
    other.sign_in()
    before = dict(anna.client.cookies)
    form = {"form_token": anna.form_token(), "old": PASSWORD, "new": "other quiet words", "again": "other quiet words"}

    assert anna.send("/account/password", form).status_code == 303

    assert anna.get("/").status_code == 200
    assert dict(anna.client.cookies) != before
    assert other.get("/").status_code == 303
    assert Browser(anna.scene).sign_in().status_code == 403
    assert Browser(anna.scene).sign_in(password="other quiet words").status_code == 303


@pytest.mark.parametrize(
    ("old", "new", "again", "status", "said"),
    [
        ("wrong", "other quiet words", "other quiet words", 403, "not your present password"),
        (PASSWORD, "short", "short", 422, "has 5 characters"),
        (PASSWORD, "anna has a sister", "anna has a sister", 422, "holds the name of its user"),
        (PASSWORD, "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", 422, "only 1 different"),
        (PASSWORD, "password1234567", "password1234567", 422, "everybody tries first"),
        (PASSWORD, "other quiet words", "other quiet word", 422, "differ"),
    ],
)
def test_a_password_that_is_refused_changes_nothing(
    anna: Browser, old: str, new: str, again: str, status: int, said: str
) -> None:
    anna.sign_in()

    answer = anna.send("/account/password", {"form_token": anna.form_token(), "old": old, "new": new, "again": again})

    assert answer.status_code == status
    assert said in words(answer.text)
    assert Browser(anna.scene).sign_in().status_code == 303


def test_one_session_or_all_others_can_be_ended(anna: Browser) -> None:
    browsers = [Browser(anna.scene) for _ in range(3)]
    for browser in (anna, *browsers):
        browser.sign_in()
        anna.scene.clock.forward(seconds=1)
    page = Forms(anna.get("/account").text).as_rendered()
    newest = page["session"][0]

    anna.send("/account/sessions", {"form_token": page["form_token"][0], "session": newest})
    assert [browser.get("/").status_code for browser in (anna, *browsers)] == [200, 200, 200, 303]
    anna.send("/account/sessions", {"form_token": page["form_token"][0], "session": "others"})
    assert [browser.get("/").status_code for browser in (anna, *browsers)] == [200, 303, 303, 303]


def test_nobody_ends_the_session_of_somebody_else(anna: Browser) -> None:
    add_user(anna.scene, "zoe")
    zoe = Browser(anna.scene)
    anna.sign_in()
    zoe.sign_in("zoe")
    with anna.scene.store.read() as unit:
        (session,) = unit.access.sessions_of("anna")

    zoe.send("/account/sessions", {"form_token": zoe.form_token(), "session": session.id})

    assert anna.get("/").status_code == 200


def test_somebody_removed_is_out_at_once(anna: Browser) -> None:
    anna.sign_in()
    with anna.scene.store.write() as unit:
        assert unit.access.remove_user("anna")

    assert anna.get("/account").status_code == 303
    assert anna.sign_in().status_code == 403


@pytest.mark.parametrize(
    ("peer", "header", "is_in"),
    [
        ("10.0.0.5", "anna", True),
        ("10.0.0.6", "anna", False),  # anybody can send a header
        ("127.0.0.1", "anna", False),
        ("10.0.0.5", "nobody", False),
        ("10.0.0.5", "", False),
    ],
)
def test_40_only_a_listed_proxy_may_say_who_somebody_is(scene: Scene, peer: str, header: str, is_in: bool) -> None:
    add_user(scene)
    browser = Browser(scene, given={"proxies": (ip_network("10.0.0.5"),), "user_header": "remote-user"})
    client = browser.client.__class__(
        browser.client.app, base_url=browser.base, client=(peer, 1), follow_redirects=False
    )

    answer = client.get("/", headers={"Remote-User": header, "X-Forwarded-For": "10.0.0.5"})

    assert answer.status_code == (200 if is_in else 303)


def a_token(scene: Scene, *scopes: Scope) -> dict[str, str]:
    value = "pmt_" + "-".join(scopes)
    with scene.store.write() as unit:
        assert unit.access.add_token(
            ApiToken(f"t{len(scopes)}", frozenset(scopes), unit.now), scene.signer.digest(value)
        )
    return {"authorization": f"Bearer {value}"}


@pytest.mark.parametrize(
    ("scopes", "read", "trigger", "metrics"),
    [
        ([Scope.READ], 200, 401, 401),
        ([Scope.RUNS_TRIGGER], 401, 202, 401),
        ([Scope.METRICS], 401, 401, 200),
        ([Scope.READ, Scope.RUNS_TRIGGER, Scope.METRICS], 200, 202, 200),
    ],
)
def test_a_token_may_do_what_its_scopes_say(
    scene: Scene, scopes: list[Scope], read: int, trigger: int, metrics: int
) -> None:
    add_user(scene)
    client = Browser(scene, given={"is_loopback": False}).client
    bearer = a_token(scene, *scopes)

    assert client.get("/api/status", headers=bearer).status_code == read
    assert client.post("/api/runs", headers=bearer).status_code == trigger
    assert client.get("/metrics", headers=bearer).status_code == metrics
    assert client.get("/", headers=bearer).status_code == 303  # pages are for people


def test_a_revoked_token_opens_nothing(scene: Scene) -> None:
    add_user(scene)
    client = Browser(scene).client
    bearer = a_token(scene, Scope.READ)
    assert client.get("/api/status", headers=bearer).status_code == 200

    with scene.store.write() as unit:
        assert unit.access.revoke_token("t1")

    assert client.get("/api/status", headers=bearer).status_code == 401


def test_metrics_need_a_token_unless_only_this_machine_can_connect(scene: Scene) -> None:
    assert Browser(scene).get("/metrics").status_code == 200
    add_user(scene)
    assert Browser(scene).get("/metrics").status_code == 200

    abroad = Browser(scene, given={"is_loopback": False})
    assert abroad.get("/metrics").status_code == 401
    assert abroad.get("/metrics", authorization=f"Bearer {TOKEN}").status_code == 200
    abroad.sign_in()
    assert abroad.get("/metrics").status_code == 200


def test_a_cookie_never_starts_a_night(anna: Browser) -> None:
    anna.sign_in()

    assert anna.client.post("/api/runs", headers=SAME).status_code == 401


def test_roles_include_those_below() -> None:
    assert [Role.ADMIN.includes(role) for role in Role] == [True, True, True]
    assert [Role.VIEWER.includes(role) for role in Role] == [True, False, False]


def test_a_session_in_use_is_hardly_ever_written(anna: Browser) -> None:
    anna.sign_in()
    seen = []
    for seconds in (10, 30, 30):
        anna.scene.clock.forward(seconds=seconds)
        anna.get("/")
        with anna.scene.store.read() as unit:
            (session,) = unit.access.sessions_of("anna")
        seen.append(session.seen_at)

    assert seen[0] == seen[1]
    assert seen[2] - seen[0] == timedelta(seconds=70)
