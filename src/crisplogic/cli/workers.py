"""``crisplogic fit`` in several processes: started here, or by torchrun and its like."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from crisplogic.group import ALONE, Group

if TYPE_CHECKING:
    from crisplogic.cli.options import StreamOptions


def start_workers(paths: Sequence[Path], workers: int, checkpoint: Path | None) -> int:
    """Run this very command in so many processes. Return the exit code.

    Training is kept in a file, so that little is lost where a process is killed.
    """
    from crisplogic.distributed.launch import launch

    if Path("/dev/stdin") in paths:
        raise typer.BadParameter("--workers needs files: standard input has one reader")
    command = [sys.executable, "-m", "crisplogic", *sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="crisplogic-") as folder:
        if checkpoint is None:
            command += ["--checkpoint", os.path.join(folder, "checkpoint.npz")]
        return launch(command, workers)


def has_to_start(options: StreamOptions) -> bool:
    """Whether more processes are wanted, and this one was not started as one of them."""
    from crisplogic.distributed.environment import in_group

    return options.workers > 1 and not in_group()


@contextmanager
def own_group() -> Iterator[Group]:
    """The processes that a launcher started together with this one; usually it is alone."""
    from crisplogic.distributed.environment import in_group, open_group

    if not in_group():  # torch takes seconds to load, and errors come before
        yield ALONE
        return
    with open_group() as group:
        yield group
