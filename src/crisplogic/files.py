"""Writing files so that a reader never meets half of one; errors name the file."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

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
        with BufferedWriter(NamedFile(path, "wb")) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the folder to write to does not exist", str(target.parent)
        )
    prefix = temporary_prefix(target)

    def named() -> AbstractContextManager[None]:
        return name_errors(path, instead_of=str(target.parent / prefix))

    with named():
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=prefix)
    try:
        with BufferedWriter(NamedFile(path, "wb", opener=lambda *_: handle)) as file:
            yield file
            file.flush()
            with named():
                os.fsync(file.fileno())
        with named():
            os.chmod(temporary, _ordinary_mode(target))
            os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


class NamedFile(FileIO):
    """A file whose errors of reading and writing name it, as those of opening do anyway.

    >>> with NamedFile(os.devnull) as file:
    ...     file.readall()
    b''
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        mode: str = "rb",
        opener: Callable[[str, int], int] | None = None,
    ) -> None:
        super().__init__(os.fspath(path), mode, opener=opener)
        self._path = path

    def readinto(self, buffer: Any) -> Any:
        """Read some bytes."""
        with name_errors(self._path):
            return super().readinto(buffer)

    def readall(self) -> Any:
        """Read all bytes that are left."""
        with name_errors(self._path):
            return super().readall()

    def write(self, data: Any) -> Any:
        """Write some bytes."""
        with name_errors(self._path):
            return super().write(data)


@contextmanager
def name_errors(path: str | os.PathLike[str], instead_of: str | None = None) -> Iterator[None]:
    """Give errors of the system the name of a file, where they come without one.

    A name that begins with ``instead_of``, a temporary one, is replaced.

    >>> with name_errors("big.csv"):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'big.csv'
    """
    try:
        yield
    except OSError as error:
        known = error.filename
        if error.errno is None:  # a library's own error, which is a text alone
            error.args = (f"{os.fspath(path)}: {error}",)
        elif known is None or (instead_of and os.fsdecode(known).startswith(instead_of)):
            error.filename = os.fspath(path)
            del error.filename2
        raise


def open_binary(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file to read its bytes."""
    return BufferedReader(NamedFile(path))


# Text that is read as a whole is no longer than this: it may come from a stranger, and reading
# a device without end would fill the memory.
MAX_BYTES = 200_000_000


def read_text(path: str | os.PathLike[str]) -> str:
    """A file of UTF-8 text as a whole; an editor may have left a byte order mark."""
    with open_binary(path) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MAX_BYTES} bytes", os.fspath(path))
    return content.decode("utf-8-sig")


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
    pattern = re.compile(re.escape(temporary_prefix(target)) + "[a-z0-9_]{8}")
    for other in target.parent.iterdir():
        # Of a name that was cut off it is not sure whose leftovers they are.
        if len(target.name) <= MOST_OF_A_NAME and pattern.fullmatch(other.name):
            other.unlink(missing_ok=True)
    target.unlink(missing_ok=True)


def temporary_prefix(target: Path) -> str:
    """How the temporary names of a file or a folder begin."""
    return f".{target.name[:MOST_OF_A_NAME]}."


def _ordinary_mode(target: Path) -> int:
    """The mode a plain ``open`` would have left: that of the old file, or by the umask."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
