"""``crisplogic serve``: what it says before it serves, and what it refuses."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from crisplogic.rules import RuleSet
from crisplogic.serve import Limits, server
from tests.cli.running import Run, assert_refused
from tests.serve.models import CHECKLIST


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    CHECKLIST.save(path)
    return path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be served; nothing is."""
    calls: list[Any] = []

    def record(rules: RuleSet, listener: socket.socket, limits: Limits) -> None:
        calls.append((rules, listener.getsockname()[0], limits))

    monkeypatch.setattr(server, "serve", record)
    return calls


def test_it_listens_at_the_loopback_alone_by_default(
    run: Run, model: Path, served: list[Any]
) -> None:
    ran = run("serve", model, "--port", "0")
    assert ran.code == 0
    assert ran.out.startswith(f"serving {model} at http://127.0.0.1:")
    assert ran.err == ""
    assert served == [(CHECKLIST, "127.0.0.1", Limits())]


def test_options_are_limits_and_other_machines_are_remarked_on(
    run: Run, model: Path, served: list[Any]
) -> None:
    options = ["--max-body", "9", "--max-rows", "8", "--timeout", "7.5", "--max-connections"]
    ran = run("serve", model, "--host", "0.0.0.0", "--port", "0", *options, "6")
    assert served[0][1:] == ("0.0.0.0", Limits(9, 8, 7.5, 6))
    assert "can be reached from other machines" in ran.err
    ran = run("serve", model, "--host", "0.0.0.0", "--port", "0", "--quiet")
    assert (ran.out, ran.err) == ("", "")


def test_a_port_that_is_taken_is_refused(run: Run, model: Path, served: list[Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert_refused(run("serve", model, "--port", str(port)), f"127.0.0.1:{port}: ")
    assert served == []


def test_what_is_no_model_is_refused(run: Run, tmp_path: Path, served: list[Any]) -> None:
    (tmp_path / "some.csv").write_text("age\n41\n")
    assert_refused(run("serve", tmp_path / "some.csv"), "is no crisplogic rule")
    assert served == []


def test_without_the_extra_it_says_what_to_install(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "crisplogic.serve.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert_refused(run("serve", model), "serve needs uvicorn: pip install 'crisplogic[serve]'")
