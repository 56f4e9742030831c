"""progress_bar: what it draws on standard error, and its silence otherwise."""

from __future__ import annotations

import re

import pytest

from crisplogic.training import Epoch, progress_bar
from crisplogic.training.progress import TimeLeft

HISTORY = [Epoch("soft", 1, 0.75, None), Epoch("soft", 2, 0.5, None)]
TERMINAL_CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the captured streams pass for a terminal of 120 columns."""
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)


def drawn(
    phases: dict[str, int], history: list[Epoch], capsys: pytest.CaptureFixture[str]
) -> str:
    """The text that the bar drew, without colours; nothing may go to standard output."""
    with progress_bar(phases, shown=True) as on_epoch:
        for epoch in history:
            on_epoch(epoch)
    captured = capsys.readouterr()
    assert captured.out == ""
    return TERMINAL_CODES.sub("", captured.err)


def test_it_shows_step_and_loss_and_time_left(
    terminal: None, capsys: pytest.CaptureFixture[str]
) -> None:
    text = drawn({"soft": 2}, HISTORY, capsys)
    assert "learning, soft" in text
    assert re.search(r"step 2/2 +loss 0\.5000 +time left +0:00:00", text)


def test_before_the_first_step_neither_loss_nor_time_is_known(
    terminal: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert re.search(r"step 0/9 +loss - +time left +-:--:--", drawn({"soft": 9}, [], capsys))


def test_the_loss_it_shows_is_the_one_that_epochs_are_compared_by(
    terminal: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "loss 0.2500" in drawn({"soft": 1}, [Epoch("soft", 1, 0.75, 0.25)], capsys)


def test_it_names_the_phase_it_is_in(
    terminal: None, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [*HISTORY, Epoch("snapped", 1, 0.4, None)]
    assert re.search(
        r"learning, snapped .* step 3/4", drawn({"soft": 2, "snapped": 2}, both, capsys)
    )


def test_a_phase_that_stopped_early_counts_as_done(
    terminal: None, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [*HISTORY, Epoch("snapped", 1, 0.4, None)]
    assert "step 51/60" in drawn({"soft": 50, "snapped": 10}, both, capsys)


def test_it_is_gone_when_training_ends_even_by_an_error(
    terminal: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ArithmeticError), progress_bar({"soft": 9}, shown=True):
        raise ArithmeticError
    erase_line, show_cursor = "\x1b[2K", "\x1b[?25h"
    err = capsys.readouterr().err
    assert err.endswith(erase_line)
    assert show_cursor in err


def test_where_standard_error_is_no_terminal_no_bar_is_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    assert drawn({"soft": 2}, HISTORY, capsys) == ""


def test_a_hidden_bar_prints_nothing(terminal: None, capfd: pytest.CaptureFixture[str]) -> None:
    with progress_bar({"soft": 2}, shown=False) as on_epoch:
        for epoch in HISTORY:
            on_epoch(epoch)
    assert capfd.readouterr() == ("", "")


# --- the time left ----------------------------------------------------------------------------


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def steps(left: TimeLeft, clock: Clock, phase: str, seconds: float, *numbers: int) -> None:
    for number in numbers:
        clock.time += seconds
        left.update(phase, number)


def test_quick_epochs_say_nothing_of_a_slow_search() -> None:
    clock = Clock()
    left = TimeLeft({"soft": 30, "snapped": 30, "search": 9}, clock)
    steps(left, clock, "soft", 0.1, *range(1, 31))
    assert left.seconds() == pytest.approx(3)
    assert str(left) == "0:00:03 and the search"
    steps(left, clock, "snapped", 0.1, *range(1, 31))
    assert (left.phase, str(left)) == ("search", "-:--:--")
    steps(left, clock, "search", 5, 1)
    assert left.seconds() == pytest.approx(40)


def test_the_time_left_goes_down_between_steps_and_up_where_one_takes_longer() -> None:
    clock = Clock()
    left = TimeLeft({"search": 9}, clock)
    steps(left, clock, "search", 5, 1)
    clock.time += 3
    assert left.seconds() == pytest.approx(37)
    clock.time += 7
    assert left.seconds() == pytest.approx(70)
    steps(left, clock, "search", 0, *range(2, 10))
    assert left.seconds() == 0


def test_the_search_of_several_parts_goes_on_where_the_last_one_ended() -> None:
    clock = Clock()
    left = TimeLeft({"soft": 1, "search": 4}, clock)
    steps(left, clock, "soft", 1, 1)
    done = []
    for number in (1, 2, 1, 2):
        steps(left, clock, "search", 1, number)
        done.append(left.done)
    assert done == [2, 3, 4, 5]


def test_a_resumed_phase_and_one_that_stops_early_keep_their_pace() -> None:
    clock = Clock()
    left = TimeLeft({"soft": 100, "snapped": 10, "search": 2}, clock)
    steps(left, clock, "soft", 1, 91, 92)
    assert left.seconds() == pytest.approx(18)
    steps(left, clock, "snapped", 1, 1)
    assert left.done == 101
    assert left.seconds() == pytest.approx(9)
