"""What the page says about targets, and what the command line makes of its arguments."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from benchmarks import __main__ as command_line
from benchmarks import gpu, growth, layer, training
from benchmarks.__main__ import main
from benchmarks.measuring import IMPATIENT, Patience, in_turns
from benchmarks.page import PARTS, Part, targets_table, to_markdown
from benchmarks.tables import Row, Verdict
from experiments.harness.store import Document, Store

SPREAD = {"median": 0.01, "least": 0.009, "greatest": 0.02}
RATIO = {"median": 8.0, "least": 7.0, "greatest": 9.0}


def layer_row(**changes: object) -> Row:
    row = {"inputs": 64, "rows": 4096, "units": 16, "copies": None, "phase": "soft", "turns": 3}
    times = {"one_step": SPREAD, "three_layers": SPREAD, "ratio": RATIO, "bytes": {}}
    return {**row, **times, **changes}


def layer_document(*rows: Row) -> Document:
    origin = {"command": "c", "date": "d", "processor": "p", "cores": 2, "versions": {"a": "1"}}
    return {**origin, "quick": False, "seconds": 1.0, "pictures": [], "rows": list(rows)}


def test_a_missed_target_says_by_how_much() -> None:
    page = to_markdown({"layer": layer_document(layer_row())})
    assert "0 of 1 targets are reached, 1 missed." in page
    line = "| level of 64, 4096, 16, soft | ≥ 10 x | 15.4 x | 8 x | **missed by 2 x** |"
    assert line in page
    assert "--quick" not in page


def test_a_reached_target_is_reached_exactly_at_its_border() -> None:
    verdicts = [Verdict("fast", 10.0, 10.0, "x"), Verdict("short", 0.5, 0.5, "s", False)]
    assert [verdict.outcome for verdict in verdicts] == ["reached", "reached"]
    assert "| short | ≤ 0.5 s | - | 0.5 s | reached |" in targets_table(verdicts)


def test_what_was_given_up_is_a_dash_and_no_verdict() -> None:
    row = layer_row(three_layers=None, ratio=None)
    assert layer.table([row]).lines[0][3:] == ["-", "-", "-", "-"]
    assert layer.verdicts([row]) == []


def test_a_run_that_takes_too_long_is_given_up() -> None:
    never = Patience(seconds=0.0, least=1, most=1, longest=-1.0)
    assert in_turns({"run": lambda: None}, never) == {}


@pytest.mark.parametrize("phase", training.PHASES)
def test_a_step_is_measured_in_both_phases(phase: str) -> None:
    growth.step(growth.SMALL, phase)()


def test_runs_take_turns() -> None:
    notes: list[str] = []

    def run(name: str) -> None:
        notes.append(name)
        time.sleep(0.01)  # long enough that one call is a turn

    runs = {name: partial(run, name) for name in ("first", "second")}
    assert [len(known) for known in in_turns(runs, IMPATIENT).values()] == [2, 2]
    assert notes[-4:] == ["first", "second"] * 2


def test_an_unknown_part_is_refused_and_the_known_ones_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--only", "speed"])
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert "speed" in said
    assert all(name in said for name in PARTS)


def test_one_part_anew_keeps_the_others_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up = Part(layer, lambda: [layer_row()], lambda: [], layer.verdicts)
    monkeypatch.setitem(PARTS, "layer", made_up)
    monkeypatch.setitem(PARTS, "start", made_up)
    for name in ("start", "layer"):
        assert main(["--only", name, "--output", str(tmp_path)]) == 0
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert page.count(f"## {layer.TITLE}") == 2


def test_a_part_that_cannot_be_measured_is_one_message_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "find_spec", lambda name: None)
    assert main(["--only", "layer", "fit", "--output", str(tmp_path)]) == 2
    assert "fit needs interpret: pip install" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_quick_figures_never_replace_the_stored_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []

    def refuse(folder: Path) -> None:
        folders.append(folder)
        raise ValueError("far enough")

    monkeypatch.setattr(command_line, "Store", refuse)
    assert main(["--quick", "--only", "start"]) == 2
    assert main(["--only", "start"]) == 2
    assert folders == [command_line.QUICK_RESULTS, command_line.RESULTS]


def test_without_a_gpu_the_gpu_benchmark_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert gpu.main([]) == 2
    assert "needs a GPU" in capsys.readouterr().err


def test_the_gpu_report_becomes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = {
        "device": "a card",
        "share": 0.51234,
        "level": [{"rows": 8, "ms": 1.5}, {"rows": 9, "ms": 2.0}],
        "errors": {"triton": [0.1, 0.2]},
        "main": {"triton": {"ms": 1.0}, "dense": {"error": "out of memory"}},
        "sizes": {"(8, 64)": {"triton": {"ms": 2.5}}},
    }
    gpu.store_report(report, [], 1.0, tmp_path)
    page = (tmp_path / "gpu.md").read_text(encoding="utf-8")
    assert "- device: a card\n- share: 0.5123\n" in page
    assert "| dense | - | out of memory |" in page
    assert "| (8, 64), triton | 2.5 |" in page
    assert "| errors | 0.1, 0.2 |" in page
    assert "|  | rows | ms |\n| --- | ---: | ---: |\n| 1 | 8 | 1.5 |\n| 2 | 9 | 2 |" in page
    assert capsys.readouterr().out == f"{page}\n"
    assert Store(tmp_path).load()["gpu"]["report"] == report
