"""What the command lines of experiments and benchmarks have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from crisplogic.errors import CrisplogicError
from experiments.harness.run import TaskError

INTERRUPTED = 130


def exit_code(run: Callable[[], None], if_interrupted: str) -> int:
    """Run something and return the exit code; what a user can mend is one message.

    >>> exit_code(lambda: None, "goes on from here")
    0
    """
    try:
        run()
    except KeyboardInterrupt:
        print(f"interrupted; {if_interrupted}", file=sys.stderr)
        return INTERRUPTED
    except (CrisplogicError, TaskError, OSError, ValueError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def count(text: str) -> int:
    """An argument that is a whole number of at least 1.

    >>> count("3")
    3
    """
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return number
