"""``crisplogic`` and ``python -m crisplogic``: the command line, with a clean end on Ctrl-C.

The commands take a while to import, and an interrupt must not end in a traceback then, either.
So nothing is imported here that takes time, and Ctrl-C is handled before anything else is.
"""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run the command line. Ctrl-C ends it at any time, with exit code 130."""
    try:
        # A shell has background jobs ignore Ctrl-C, and so it stays.
        handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if handled:
            signal.signal(signal.SIGINT, _exit_at_once)
        from crisplogic.cli import main as run

        if handled:
            sys.unraisablehook = _interrupt_again
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        _exit_at_once()
    except SystemExit as exit_:
        if exit_.code == INTERRUPTED:
            _exit()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done
        raise


def _exit_at_once(signum: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    os.write(2, b"interrupted\n")
    _exit()


def _exit() -> None:
    """Exit without the interpreter's own end, which turns some interrupts into a signal."""
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(INTERRUPTED)


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Repeat an interrupt that came where Python cannot raise it, as in a callback."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    from threading import Timer

    Timer(0.05, _interrupt_main).start()


def _interrupt_main() -> None:
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)
    else:  # where this would end the process
        signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
