"""Writing folders so that a reader never meets half of one, even after a kill."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crisplogic.files import MOST_OF_A_NAME, name_errors, temporary_prefix

# Where the new folder is made, and where the old one waits, in a temporary folder beside it.
NEW, OLD = "new", "old"


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """An empty folder to fill, which then appears under ``path`` as a whole.

    If anything fails on the way, what stood there before is still there. After a kill,
    :func:`recover_folder` brings back what is missing.

    >>> path = Path(tempfile.mkdtemp(), "model")
    >>> with atomic_folder(path) as folder:
    ...     _ = (folder / "rules.txt").write_text("all of it")
    >>> os.listdir(path.parent), os.listdir(path)
    (['model'], ['rules.txt'])
    """
    recover_folder(path)
    target = Path(os.path.realpath(path))
    with name_errors(path, instead_of=str(target.parent / temporary_prefix(target))):
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=temporary_prefix(target)))
        try:
            (temporary / NEW).mkdir()  # with an ordinary mode, unlike the temporary folder
            yield temporary / NEW
            _replace(target, temporary)
        finally:
            if target.exists() or not (temporary / OLD).exists():
                shutil.rmtree(temporary, ignore_errors=True)


def recover_folder(path: str | os.PathLike[str]) -> None:
    """Bring back a folder that is missing because its writer was killed between two steps."""
    target = Path(os.path.realpath(path))
    # Of a name that was cut off it is not sure whose leftovers they are.
    if target.exists() or not target.parent.is_dir() or len(target.name) > MOST_OF_A_NAME:
        return
    pattern = re.compile(re.escape(temporary_prefix(target)) + "[a-z0-9_]{8}")
    for temporary in target.parent.iterdir():
        if pattern.fullmatch(temporary.name) and (temporary / OLD).is_dir():
            # The old folder is put away only once the new one is complete.
            complete = NEW if (temporary / NEW).is_dir() else OLD
            os.rename(temporary / complete, target)
            shutil.rmtree(temporary, ignore_errors=True)
            return


def _replace(target: Path, temporary: Path) -> None:
    """Move the new folder to its place: in one step where the system can, else in two."""
    new, old = temporary / NEW, temporary / OLD
    if not target.exists():
        os.rename(new, target)
        return
    if _exchange(new, target):
        return
    try:
        os.rename(target, old)
        os.rename(new, target)
    except BaseException:
        if old.exists() and not target.exists():
            os.rename(old, target)
        raise


def _exchange(first: Path, second: Path) -> bool:
    """Swap two folders in one step. False where the system or the disk cannot."""
    import ctypes

    names = os.fsencode(first), os.fsencode(second)
    swap, here = 2, -100
    if sys.platform == "linux":
        rename = getattr(ctypes.CDLL(None), "renameat2", None)
        return rename is not None and rename(here, names[0], here, names[1], swap) == 0
    if sys.platform == "darwin":
        return bool(ctypes.CDLL(None).renamex_np(*names, swap) == 0)
    return False
