"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO


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
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
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


def _ordinary_mode(target: Path) -> int:
    """The mode a plain ``open`` would have left: that of the old file, or by the umask."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
