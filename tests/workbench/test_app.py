"""The workbench answers its own page and no one else."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from crisplogic.rules import RuleSet
from crisplogic.workbench.app import MOST_BYTES, Workbench, check_name, create_app
from crisplogic.workbench.guard import HEADER
from tests.workbench.models import bench

PORT, TOKEN = 8123, "a-secret"
HOST = f"127.0.0.1:{PORT}"
OWN = {HEADER: TOKEN, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
MOVE = {"kind": "threshold", "text": "age>40", "value": 45}


@pytest.fixture
def workbench(tmp_path: Path) -> Workbench:
    return Workbench(bench(), tmp_path, "edited.json", "Ada", TOKEN)


@pytest.fixture
def client(workbench: Workbench) -> TestClient:
    app = create_app(workbench, PORT)
    return TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)


def ask(client: TestClient, path: str, body: Any = None, **headers: str) -> Any:
    return client.post(path, json=body or {}, headers=OWN | headers)


def test_the_page_needs_the_token_and_is_kept_by_no_one(client: TestClient) -> None:
    page = client.get(f"/?token={TOKEN}")
    assert page.status_code == 200
    assert '<h2 id="workbench-title">' in page.text
    assert "connect-src 'self'" in html.unescape(page.text)
    ids = re.findall(r' id="([^"]*)"', page.text)
    assert len(ids) == len(set(ids))
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in page.headers
    for address in ("/", "/?token=", "/?token=wrong", "/?token=%ff"):
        refused = client.get(address)
        assert refused.status_code == 403
        assert TOKEN not in refused.text


@pytest.mark.parametrize(
    "headers",
    [
        {HEADER: ""},
        {HEADER: "wrong"},
        {"origin": "http://elsewhere.example"},
        {"origin": "null"},
        {"origin": f"https://{HOST}"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"host": "elsewhere.example"},
        {"host": f"elsewhere.example:{PORT}"},
        {"host": "127.0.0.1"},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
    ],
)
@pytest.mark.parametrize("path", ["/edit", "/save", "/undo"])
def test_other_pages_can_change_nothing(
    client: TestClient, workbench: Workbench, path: str, headers: dict[str, str]
) -> None:
    before = workbench.bench
    answer = ask(client, path, {**MOVE, "file": "x.json", "who": "me"}, **headers)
    assert answer.status_code in (403, 415)
    assert workbench.bench is before
    assert not list(workbench.folder.iterdir())


def test_a_request_of_another_kind_changes_nothing(
    client: TestClient, workbench: Workbench
) -> None:
    for method in ("GET", "PUT", "DELETE", "OPTIONS"):
        answer = client.request(method, "/edit", headers=OWN)
        assert answer.status_code in (404, 405)
        assert "access-control-allow-methods" not in answer.headers
    assert len(workbench.bench.session.versions) == 1


def test_edits_are_made_undone_and_compared(client: TestClient, workbench: Workbench) -> None:
    told = ask(client, "/edit", MOVE).json()
    assert told["versions"] == ["as it was", "moved age>40 to 45"]
    assert {"text": "age>45", "value": "45"} in told["thresholds"]
    assert ask(client, "/undo").json()["at"] == 0
    assert ask(client, "/redo").json()["at"] == 1
    assert ask(client, "/compare", {"at": 1}).json()["changed"] == 0
    assert ask(client, "/go", {"at": 0}).json()["at"] == 0
    assert "as it was" in client.get(f"/?token={TOKEN}").text
    assert ask(client, "/refit").json()["at"] == 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/edit", {"kind": "add", "text": "agee>40"}),
        ("/edit", {"kind": "drop", "text": "smoker"}),
        ("/edit", {"kind": "add", "text": "age>40 &"}),
        ("/edit", {"kind": "threshold", "text": "age", "value": "x"}),
        ("/undo", {}),
        ("/go", {"at": 7}),
        ("/go", {"at": "0"}),
        ("/compare", {}),
        ("/save", {"file": "x.json", "who": ""}),
        ("/save", {"file": 1, "who": "me"}),
    ],
)
def test_mistakes_are_told_and_change_nothing(
    client: TestClient, workbench: Workbench, path: str, body: Any
) -> None:
    before = workbench.bench
    answer = ask(client, path, body)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert workbench.bench is before


def test_bodies_are_small_objects(client: TestClient) -> None:
    for content, status in ((b"[]", 422), (b"{", 422), (b"[" * 9000, 422), (b"", 422)):
        headers = OWN | {"content-type": "application/json"}
        assert client.post("/edit", content=content, headers=headers).status_code == status
    assert ask(client, "/edit", {"text": "x" * MOST_BYTES}).status_code == 413
    assert ask(client, "/nothing").status_code == 404


def test_a_model_is_saved_under_a_new_name_only(
    client: TestClient, workbench: Workbench, tmp_path: Path
) -> None:
    ask(client, "/edit", MOVE)
    asked = {"file": "new.json", "who": "Bo", "why": "a guideline"}
    assert ask(client, "/save", asked).json() == {"file": str(tmp_path / "new.json")}
    saved = RuleSet.load(tmp_path / "new.json")
    assert saved == workbench.bench.rules
    assert [note.who for note in saved.history] == ["Bo", "Bo"]
    again = ask(client, "/save", asked)
    assert again.status_code == 422
    assert "exists" in again.json()["error"]


@pytest.mark.parametrize(
    "name",
    ["../x.json", "/tmp/x.json", "a/b.json", "a\\b.json", ".x.json", "x.py", "", "x\n.json"],
)
def test_no_file_is_written_elsewhere(name: str) -> None:
    with pytest.raises(ValueError, match="without a folder"):
        check_name(name)
