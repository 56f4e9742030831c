"""Several processes: ``python -m benchmarks.big_processes``. Each line is a run of its own.

Ten runs are killed at random moments, and have to end with the rules of one that is not.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import big_table
from benchmarks.gpu import last_line
from benchmarks.page import origin_line
from benchmarks.tables import Row
from experiments.harness.origin import current_origin, now
from experiments.harness.pages import markdown_table, write_page
from experiments.harness.store import Document, Store

RESULTS = Path(__file__).parent / "results"
ROWS, ROWS_OF_KILLS, KILLS = 10_000_000, 300_000, 10
# Processes and cores of each run.
RUNS = ((1, 1), (1, 2), (2, 2), (4, 2))
TARGET = 1.6
PATIENCE = 600.0


def command(rows: int, processes: int, cores: int = 2, *more: str) -> list[str]:
    """A run of one fit, in a process of its own or in several."""
    options = ["--processes", str(processes), "--cores", str(cores), *more]
    return [sys.executable, "-m", "benchmarks.big_table", str(rows), "streamed", *options]


def measured(rows: int, processes: int, cores: int) -> Row:
    """The figures of one fit, and how long its processes took from start to end."""
    started = time.perf_counter()
    found: Row = json.loads(last_line(command(rows, processes, cores)))
    return {**found, "wall": time.perf_counter() - started, "date": now()}


def killed(number: int, rows: int, seconds: float, rules: str) -> Row:
    """Kill one of two processes at a random moment, and see what the run ends with."""
    draw = np.random.default_rng(number)
    moment, victim = float(draw.uniform(0, seconds)), int(draw.integers(2))
    with tempfile.TemporaryDirectory() as folder:
        run = command(rows, 2, 2, "--checkpoint", str(Path(folder, "fit.npz")))
        started = time.perf_counter()
        process = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
        time.sleep(moment)
        hit = _kill(process.pid, victim)
        output, _ = process.communicate(timeout=PATIENCE)
    lines = output.splitlines()
    same = bool(lines) and json.loads(lines[-1])["rules"] == rules
    wall = time.perf_counter() - started
    return {"moment": moment, "victim": victim, "hit": hit, "wall": wall, "same": same}


def _kill(parent: int, victim: int) -> bool:
    """Kill one of the processes that another one has started; False if there is none yet."""
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    children = [int(each) for each in listed.read_text().split()] if listed.exists() else []
    ranks = [each for each in children if b"RANK=" in _environment(each)]
    if len(ranks) <= victim:
        return False
    os.kill(ranks[victim], signal.SIGKILL)
    return True


def _environment(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return b""


def to_markdown(document: Document) -> str:
    """The page."""
    runs, kills = document["runs"], document["kills"]
    parts = [
        "# Several processes",
        f"One fit a line, of {runs[0]['rows']:,} rows of 20 columns in Parquet files: "
        "`LogicClassifier(random_state=0).fit_dataset(files, group=group)`. *Wall* is from the "
        "start of the processes to their end; to load PyTorch takes some seconds of it. One "
        "process uses both cores as well, by threads that read and measure; so it is measured "
        "on one core, too.",
        _runs(runs),
        _verdict(runs),
    ]
    if kills:
        same = sum(each["same"] for each in kills)
        hit = sum(each["hit"] for each in kills)
        parts += [
            "## Killed at random moments",
            f"Two processes learn from {ROWS_OF_KILLS:,} rows. One is killed by SIGKILL "
            f"at a random moment of a run of {document['seconds_of_kills']:.1f} s, "
            f"{len(kills)} times ({hit} times the process had started). Both start again by "
            "themselves, and training goes on from its checkpoint. "
            f"{same} of {len(kills)} runs ended with the rules of a run that was not killed.",
            markdown_table(
                ["moment, s", "killed", "wall, s", "same rules"],
                [
                    [
                        f"{each['moment']:.1f}",
                        f"process {each['victim']}" if each["hit"] else "none yet",
                        f"{each['wall']:.1f}",
                        "yes" if each["same"] else "no",
                    ]
                    for each in kills
                ],
            ),
        ]
    return "\n\n".join([*parts, origin_line(document)]) + "\n"


def _runs(runs: Sequence[Row]) -> str:
    head = ["processes", "cores", "seconds", "reading", "learning", "measuring", "wall"]
    same = {row["rules"] for row in runs}
    lines = [
        [
            str(row["processes"]),
            str(row["cores"]),
            *(f"{row[name]:.1f}" for name in head[2:]),
            f"{row['peak'] / 2**30:.2f}",
        ]
        for row in runs
    ]
    said = "All runs end with the same rules." if len(same) == 1 else "The rules differ."
    return markdown_table([*head, "peak of one, GiB"], lines) + f"\n\n{said}"


def _verdict(runs: Sequence[Row]) -> str:
    seconds = {(row["processes"], row["cores"]): row["seconds"] for row in runs}
    two = seconds[2, 2]
    found = [
        (f"one process on {cores} core{'s' * (cores > 1)}", seconds[1, cores] / two)
        for cores in (1, 2)
    ]
    lines = [
        [f"two processes, against {what}", f"≥ {TARGET}", f"{times:.2f} times", _outcome(times)]
        for what, times in found
    ]
    return "## Targets\n\n" + markdown_table(["target", "bound", "found", ""], lines)


def _outcome(times: float) -> str:
    return "reached" if times >= TARGET else f"missed by {TARGET - times:.2f}"


def main(arguments: Sequence[str]) -> int:
    """Measure runs or kills, and write the page of both."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.big_processes")
    parser.add_argument("--only", choices=["runs", "kills"])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    options = parser.parse_args(arguments)
    store, started = Store(options.output), time.perf_counter()
    document: dict[str, Any] = dict(
        store.load().get("big_processes", {"runs": [], "kills": []})
    )
    if options.only != "kills":
        big_table.table_files(options.rows)  # made beforehand, not while it is measured
        document["runs"] = [measured(options.rows, *run) for run in RUNS]
    if options.only != "runs":
        big_table.table_files(ROWS_OF_KILLS)
        whole = measured(ROWS_OF_KILLS, 2, 2)
        document["seconds_of_kills"] = whole["wall"]
        document["kills"] = []
        for number in range(options.kills):
            one = killed(number, ROWS_OF_KILLS, whole["wall"], whole["rules"])
            document["kills"].append(one)
            print(one, file=sys.stderr, flush=True)
    origin = current_origin("benchmarks.big_processes", arguments)
    seconds = time.perf_counter() - started
    document |= {"date": now(), **asdict(origin), "seconds": seconds}
    store.add("big_processes", document)
    if document["runs"]:
        write_page(to_markdown(document), options.output / "big_processes.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
