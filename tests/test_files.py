"""atomic_writer: a complete file under its name, or what stood there before."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crisplogic.files import atomic_writer
from tests.platforms import posix

OLD, NEW = "what stood there before\n", "something else, and more of it\r\nwith ä and 体\n"


def write(path: str | os.PathLike[str], text: str = NEW) -> None:
    with atomic_writer(path) as file:
        file.write(text)


def content(path: Path) -> str:
    return path.read_bytes().decode("utf-8")  # every line end as it is


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(OLD, encoding="utf-8")
    return path


# --- what is written --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [str, Path], ids=["text", "path"])
def test_a_new_file_holds_the_text_to_the_byte(
    make: Callable[[Path], str | Path], tmp_path: Path
) -> None:
    write(make(tmp_path / "note.txt"))
    assert content(tmp_path / "note.txt") == NEW
    assert os.listdir(tmp_path) == ["note.txt"]


def test_an_old_file_is_replaced(old: Path) -> None:
    write(old)
    assert content(old) == NEW
    assert os.listdir(old.parent) == ["note.txt"]


def test_a_plain_name_is_a_file_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("note.txt")
    assert content(tmp_path / "note.txt") == NEW


@pytest.mark.parametrize("name", ["体" * 80, "a" * 255, " ", "%s", "-o", ".hidden"])
def test_any_name_that_a_file_may_have_will_do(name: str, tmp_path: Path) -> None:
    write(tmp_path / name)
    assert os.listdir(tmp_path) == [name]


def test_nothing_written_is_an_empty_file(tmp_path: Path) -> None:
    write(tmp_path / "empty", "")
    assert content(tmp_path / "empty") == ""


def test_until_the_end_a_reader_meets_the_old_file(old: Path) -> None:
    with atomic_writer(old) as file:
        file.write(NEW)
        file.flush()
        assert content(old) == OLD
    assert content(old) == NEW


def test_of_two_writers_at_once_the_last_to_finish_wins_whole(old: Path) -> None:
    with atomic_writer(old) as first:
        first.write("first")
        with atomic_writer(old) as second:
            second.write("second, and longer")
        first.write(" and last")
    assert content(old) == "first and last"
    assert os.listdir(old.parent) == ["note.txt"]


# --- what fails -------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [ValueError("no"), OSError("full"), KeyboardInterrupt()])
def test_a_writer_that_fails_midway_leaves_the_old_file_and_nothing_else(
    problem: BaseException, old: Path
) -> None:
    def text() -> Iterator[str]:
        yield NEW
        raise problem

    with pytest.raises(type(problem)), atomic_writer(old) as file:
        file.writelines(text())
    assert content(old) == OLD
    assert os.listdir(old.parent) == ["note.txt"]


@pytest.mark.parametrize("function", ["replace", "fsync", "chmod"])
def test_a_system_that_fails_midway_leaves_the_old_file_and_nothing_else(
    function: str, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, function, fail)
    with pytest.raises(OSError, match="no space left"):
        write(old)
    assert content(old) == OLD
    assert os.listdir(old.parent) == ["note.txt"]


def test_text_that_is_no_text_leaves_the_old_file_and_nothing_else(old: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write(old, "half a pair: \ud800")
    assert content(old) == OLD
    assert os.listdir(old.parent) == ["note.txt"]


def test_a_failure_where_no_file_stood_leaves_none(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), atomic_writer(tmp_path / "note.txt"):
        _ = 1 / 0
    assert os.listdir(tmp_path) == []


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the folder to write to does not") as error:
        write(tmp_path / "missing" / "note.txt")
    assert error.value.filename == str(tmp_path / "missing")
    assert error.value.errno == errno.ENOENT


def test_a_file_is_no_folder_to_write_to(old: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the folder to write to does not exist"):
        write(old / "note.txt")


def test_a_folder_is_no_file_to_write_to_and_is_named(tmp_path: Path) -> None:
    # Windows forbids to open a folder; elsewhere it is no file.
    with pytest.raises((IsADirectoryError, PermissionError)) as error:
        write(tmp_path)
    assert error.value.filename == str(tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("function", ["mkstemp", "replace", "fsync"])
def test_an_error_of_the_system_names_the_file_and_no_temporary_one(
    function: str, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*names: object, **_: object) -> None:
        temporary = names[:1] if function == "replace" else ()
        raise OSError(errno.ENOSPC, "No space left on device", *temporary)

    monkeypatch.setattr(tempfile if function == "mkstemp" else os, function, fail)
    with pytest.raises(OSError, match="No space left on device") as error:
        write(old)
    assert error.value.filename == str(old)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_device_is_named() -> None:
    with pytest.raises(OSError, match="No space left on device") as error:
        write("/dev/full")
    assert error.value.filename == "/dev/full"


def test_an_error_that_has_a_name_keeps_it(old: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, atomic_writer(old):
        os.stat("nosuch.csv")
    assert error.value.filename == "nosuch.csv"


# --- modes, links and pipes -------------------------------------------------------------------


@posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_the_umask_says(
    mask: int, mode: int, tmp_path: Path
) -> None:
    with umask(mask):
        write(tmp_path / "note.txt")
        assert os.umask(mask) == mask  # it is as it was
    assert stat.S_IMODE((tmp_path / "note.txt").stat().st_mode) == mode


@posix
def test_an_old_file_keeps_its_mode(old: Path) -> None:
    old.chmod(0o640)
    with umask(0o077):
        write(old)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


@posix
@pytest.mark.parametrize("relative", [True, False])
def test_a_link_stays_a_link_and_its_target_is_written(
    relative: bool, old: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to("../note.txt" if relative else old)
    write(link)
    assert link.is_symlink()
    assert content(old) == NEW
    assert os.listdir(link.parent) == ["link"]


@posix
def test_a_link_to_nothing_yet_makes_the_file_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("note.txt")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "note.txt") == NEW


@posix
def test_a_failure_leaves_the_target_of_a_link(old: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(old)
    with pytest.raises(ZeroDivisionError), atomic_writer(tmp_path / "link"):
        _ = 1 / 0
    assert content(old) == OLD
    assert sorted(os.listdir(tmp_path)) == ["link", "note.txt"]


@posix
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)  # both ways, or opening would wait for the other side
    try:
        write(pipe)
        assert os.read(reader, 1000) == NEW.encode()
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]
