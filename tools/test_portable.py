"""Run the tests that train or search with the arithmetic of other processors.

Processors round sums differently. So they learn different networks and rules, and a test has to
hold for all of them. Each setting is one run of pytest in its own environment. Arguments are
passed on to pytest; paths replace the tests that are selected here:

    python tools/test_portable.py
    python tools/test_portable.py -x tests/examples

The exit status is 1 if a test failed under any setting.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch

ROOT = Path(__file__).parents[1]

# Tests that train networks or search rules. The others handle text, tables and rules made by
# hand: rounding decides nothing there, and they would only make this longer.
LEARNING = (
    "tests/cli",
    "tests/constraints",
    "tests/docs/test_commands.py",
    "tests/docs/test_python.py",
    "tests/docs/test_readme.py",
    "tests/estimators",
    "tests/examples",
    "tests/nn",
    "tests/rules/editing",
    "tests/search",
    "tests/training",
    "tests/test_snap.py",
    "tests/test_weights.py",
    "src",
)

# Instruction sets that PyTorch tells apart, from the oldest on.
GENERATIONS = ("DEFAULT", "AVX2", "AVX512")


class Setting(NamedTuple):
    """Variables that change the arithmetic, and the instructions that the processor needs."""

    variables: dict[str, str]
    needs: str = "DEFAULT"

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.variables.items())


def noise(seed: int) -> Setting:
    """Gradients changed by some millionths: see rounding_noise/sitecustomize.py."""
    return Setting({"CRISPLOGIC_ROUNDING_NOISE": str(seed)})


SETTINGS = (
    Setting({"OMP_NUM_THREADS": "1"}),
    Setting({"OMP_NUM_THREADS": "2"}),
    Setting({"ATEN_CPU_CAPABILITY": "default"}),
    Setting({"ATEN_CPU_CAPABILITY": "avx2"}, needs="AVX2"),
    Setting({"ATEN_CPU_CAPABILITY": "avx512"}, needs="AVX512"),
    Setting({"OPENBLAS_CORETYPE": "Haswell"}, needs="AVX2"),
    Setting({"OPENBLAS_CORETYPE": "Zen"}, needs="AVX2"),
    Setting({"OPENBLAS_CORETYPE": "SkylakeX"}, needs="AVX512"),
    Setting({"MKL_CBWR": "COMPATIBLE"}),
    noise(1),
    noise(2),
    noise(3),
)


class Outcome(NamedTuple):
    """How the tests went under one setting."""

    passed: int
    failed: int
    seconds: float
    exit_status: int


def main(arguments: Sequence[str]) -> int:
    """Run all settings, print a table and return the exit status."""
    chosen = any(Path(each.partition("::")[0]).exists() for each in arguments)
    selection = [*arguments, *(() if chosen else LEARNING)]
    outcomes: list[Outcome | None] = []
    for number, setting in enumerate(SETTINGS, 1):
        print(f"[{number}/{len(SETTINGS)}] {setting}", flush=True)
        outcomes.append(run(setting, selection) if is_supported(setting) else None)
    print(as_table(outcomes))
    return int(any(outcome and outcome.exit_status for outcome in outcomes))


def is_supported(setting: Setting) -> bool:
    """Whether the processor has what the setting asks for; PyTorch would silently use less."""
    here = torch.backends.cpu.get_cpu_capability()
    generation = GENERATIONS.index(here) if here in GENERATIONS else 0
    return GENERATIONS.index(setting.needs) <= generation


def run(setting: Setting, selection: Sequence[str]) -> Outcome:
    """The tests under one setting; what failed is printed in full."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--numprocesses", "auto", "-q", *selection],
        cwd=ROOT,
        env=environment(setting),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout, flush=True)
    return Outcome(
        counted("passed", done.stdout),
        counted("failed", done.stdout) + counted("errors?", done.stdout),
        time.monotonic() - start,
        done.returncode,
    )


def environment(setting: Setting) -> dict[str, str]:
    """Our own variables and those of the setting; the noise waits for its seed to be set."""
    paths = [str(ROOT / "tools" / "rounding_noise"), os.environ.get("PYTHONPATH")]
    path = os.pathsep.join(filter(None, paths))
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, **setting.variables}


def counted(what: str, printed: str) -> int:
    """A number from the last line that pytest prints."""
    found = re.findall(rf"(\d+) {what}\b", "".join(printed.splitlines()[-1:]))
    return int(found[0]) if found else 0


def as_table(outcomes: Sequence[Outcome | None]) -> str:
    """A line for every setting; None is one that the processor does not support."""
    width = max(len(str(setting)) for setting in SETTINGS)
    lines = [f"{'setting':{width}}  passed  failed  seconds"]
    for setting, outcome in zip(SETTINGS, outcomes, strict=True):
        numbers = (
            f"{outcome.passed:6}  {outcome.failed:6}  {outcome.seconds:7.0f}"
            if outcome
            else f"left out: this processor has no {setting.needs}"
        )
        lines.append(f"{setting!s:{width}}  {numbers}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
