"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

# Temporary names add to a name, which may be as long as a file system allows.
MOST_OF_A_NAME = 50


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file that appears under its name only once it is complete.

    It is written under a temporary name in the same folder and renamed at the end; if
    anything fails on the way, whatever stood under ``path`` before is still there. As with
    ``open``, a symbolic link stays and the file it leads to is written; what is no plain
    file (``/dev/stdout``) cannot be renamed to and is written as it goes.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "note.txt")
    >>> with atomic_writer(path) as file:
    ...     _ = file.write("all of it")
    >>> path.read_text()
    'all of it'
    """
    with atomic_binary_writer(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()  # flushes; the file itself is closed, or thrown away, below


@contextmanager
def atomic_binary_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The same for bytes."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the folder to write to does not exist", str(target.parent)
        )
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=_temporary_prefix(target))
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _ordinary_mode(target))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def remove_with_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove a file, and what writers of it left behind that were killed on the way.

    Nothing may be writing it any more. That it is not there is no error.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("note.txt", ".note.txt.ab12_xyz", ".note.txt.backup2"):
    ...     _ = (folder / name).write_text("")
    >>> remove_with_leftovers(folder / "note.txt")
    >>> os.listdir(folder)
    ['.note.txt.backup2']
    """
    target = Path(os.path.realpath(path))
    pattern = re.compile(re.escape(_temporary_prefix(target)) + "[a-z0-9_]{8}")
    for other in target.parent.iterdir():
        # Of a name that was cut off it is not sure whose leftovers they are.
        if len(target.name) <= MOST_OF_A_NAME and pattern.fullmatch(other.name):
            other.unlink(missing_ok=True)
    target.unlink(missing_ok=True)


def _temporary_prefix(target: Path) -> str:
    return f".{target.name[:MOST_OF_A_NAME]}."


def _ordinary_mode(target: Path) -> int:
    """The mode a plain ``open`` would have left: that of the old file, or by the umask."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
