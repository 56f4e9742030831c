"""The command line: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from benchmarks.page import PARTS, part_section, to_markdown
from crisplogic.files import atomic_writer
from experiments.harness.command_line import add_choice_option, exit_code
from experiments.harness.origin import Origin, current_origin, now
from experiments.harness.pages import save_picture
from experiments.harness.store import Document, Store

HERE = Path(__file__).parent
RESULTS = HERE / "results"
# Results of a quick run must not replace those of a full one.
QUICK_RESULTS = HERE.parent / "build" / "benchmarks"


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks and return the exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: _run(options, arguments), "the finished parts are stored")


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    names = [name for name in PARTS if name in options.only]
    _check_possible(names)
    folder = options.output or (QUICK_RESULTS if options.quick else RESULTS)
    store = Store(folder)
    origin = current_origin("benchmarks", arguments)
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        document = _measured(name, options.quick, origin, folder)
        store.add(name, document)
        _write_page(store)
        print(part_section(name, document), end="\n\n", flush=True)


def _check_possible(names: Sequence[str]) -> None:
    """Fail now instead of after minutes."""
    needed = {
        "fit": "interpret",
        "large_fit": "interpret",
        "copies": "matplotlib",
        "growth": "matplotlib",
        "serving": "fastapi",
    }
    for name in names:
        if name in needed and find_spec(needed[name]) is None:
            raise ModuleNotFoundError(
                f"{name} needs {needed[name]}: pip install '.[experiments,plot,serve]', "
                "or name other parts after --only"
            )


def _measured(name: str, quick: bool, origin: Origin, folder: Path) -> Document:
    """One part as a document; its pictures are written to the folder."""
    started = time.perf_counter()
    rows = PARTS[name].measure(quick)
    seconds = time.perf_counter() - started
    folder.mkdir(parents=True, exist_ok=True)
    pictures = PARTS[name].draw(rows)
    for picture, figure in pictures.items():
        save_picture(figure, folder / f"{picture}.png")
    return {
        "part": name,
        "quick": quick,
        "date": now(),
        **asdict(origin),
        "seconds": seconds,
        "pictures": list(pictures),
        "rows": rows,
    }


def _write_page(store: Store) -> None:
    """The page of all parts that are stored, those of earlier runs included."""
    stored = store.load()
    page = to_markdown({name: stored[name] for name in PARTS if name in stored})
    with atomic_writer(store.folder / "README.md") as file:
        file.write(page)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure how fast crisplogic is, and write tables and pictures.",
    )
    add_choice_option(parser, "--only", list(PARTS), "; the page keeps the stored others")
    parser.add_argument(
        "--quick", action="store_true", help="a trial that takes seconds per part"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="folder for results (default: benchmarks/results)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
