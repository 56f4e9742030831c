"""What a GPU is worth: ``python -m benchmarks.gpu``, or ``--short`` for the targets alone.

:mod:`benchmarks.gpu_layer` and :mod:`benchmarks.gpu_form` measure; this stores their reports.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from benchmarks import gpu_layer
from benchmarks.page import origin_line
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import markdown_table, write_page
from experiments.harness.store import Document, Store

RESULTS = Path(__file__).parent / "results"
# Measures the targets alone, in a few minutes.
SHORT = "--short"


def main(arguments: Sequence[str]) -> int:
    """Measure on the GPU and write the results.

    Arguments are those of benchmarks.gpu_form, or ``--short`` alone: print the targets as JSON,
    and leave the page as it is.
    """
    if not torch.cuda.is_available():
        print(
            "error: this needs a GPU that PyTorch can use (torch.cuda.is_available()); "
            "without one `make bench` measures the CPU",
            file=sys.stderr,
        )
        return 2
    if list(arguments) == [SHORT]:
        print(json.dumps(gpu_layer.measure_targets(), indent=1))
        return 0
    command = [sys.executable, "-m", "benchmarks.gpu_form", *arguments]
    started = time.perf_counter()
    try:
        report = {
            "a level of logic": gpu_layer.measure(),
            "a whole fit": gpu_layer.measure_fits(),
            **json.loads(last_line(command)),
        }
        store_report(report, arguments, time.perf_counter() - started, RESULTS)
    except (subprocess.CalledProcessError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def last_line(command: Sequence[str]) -> str:
    """The last line that a command prints; all other lines go to stderr meanwhile.

    >>> last_line([sys.executable, "-c", "print(1); print(2)"])
    '2'
    """
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if last:
                print(last, file=sys.stderr, flush=True)
            last = line.rstrip("\n")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return last


def store_report(
    report: Document, arguments: Sequence[str], seconds: float, folder: Path
) -> None:
    """Store the report, write gpu.md and print it."""
    origin = current_origin("benchmarks.gpu", arguments)
    document = {"date": now(), **asdict(origin), "seconds": seconds, "report": report}
    page = to_markdown(document)
    Store(folder).add("gpu", document)
    write_page(page, folder / "gpu.md")


def to_markdown(document: Document) -> str:
    """The page: single figures as a list, then a table for every group of figures."""
    report: Mapping[str, Any] = document["report"]
    groups = {name: value for name, value in report.items() if _is_group(value)}
    single = [f"- {name}: {_text(report[name])}" for name in report if name not in groups]
    tables = [f"## {name}\n\n{_table(name, group)}" for name, group in groups.items()]
    parts = ["# Benchmarks on a GPU", "\n".join(single), *tables, origin_line(document)]
    return "\n\n".join(parts) + "\n"


def _is_group(value: Any) -> bool:
    """Whether it is more than a figure: figures by name, or a list of such."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and all(isinstance(each, Mapping) for each in value)
    )


def lines(name: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The innermost groups of figures, each with the names that lead to it.

    >>> list(lines("all", {"small": {"ms": 1}, "large": {"fast": {"ms": 2}}}))
    [('small', {'ms': 1}), ('large, fast', {'ms': 2})]
    >>> list(lines("product", {"ms": 3}))
    [('product', {'ms': 3})]
    """
    for key, inner in value.items():
        if not isinstance(inner, Mapping):
            yield name, value
            return
        if any(isinstance(each, Mapping) for each in inner.values()):
            yield from ((f"{key}, {path}", figures) for path, figures in lines(key, inner))
        else:
            yield key, inner


def _table(name: str, group: Mapping[str, Any] | list[Mapping[str, Any]]) -> str:
    if isinstance(group, list):
        found = [(str(position), figures) for position, figures in enumerate(group, 1)]
    else:
        found = list(lines(name, group))
    columns = list(dict.fromkeys(column for _, figures in found for column in figures))
    cells = [
        [path, *(_text(figures[column]) if column in figures else "-" for column in columns)]
        for path, figures in found
    ]
    return markdown_table(["", *columns], cells)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
