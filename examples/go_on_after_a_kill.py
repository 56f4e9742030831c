"""A long fit is killed and goes on where it was, to the same rules as if nothing had happened.

`fit(X, y, checkpoint=FILE)` keeps training in a file, every ten seconds and after each of its
phases. Called again in the same way, it goes on from there; when it is done, the file goes.

Run it with: python examples/go_on_after_a_kill.py
"""

from __future__ import annotations

import time
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from crisplogic import LogicClassifier
from crisplogic.datasets import load_breast_cancer_wisconsin
from crisplogic.errors import CheckpointError


def learn(checkpoint: Path | None = None, epochs: int = 30) -> LogicClassifier:
    """Rules for tumours, always by the same table and settings."""
    data = load_breast_cancer_wisconsin()
    clf = LogicClassifier(epochs=epochs, restarts=1, folds=3, max_literals=8, random_state=0)
    return clf.fit(data.to_frame(), data.y, checkpoint=checkpoint)


def killed_when_there_is(checkpoint: Path) -> None:
    """Learn in a process of its own, and kill that as hard as an operating system does."""
    child = get_context("spawn").Process(target=learn, args=(checkpoint,))
    child.start()
    while child.is_alive() and not checkpoint.exists():
        time.sleep(0.01)
    child.kill()
    child.join()
    print(
        f"The child ended with {child.exitcode} and left {checkpoint.name}, "
        f"{checkpoint.stat().st_size} bytes."
    )


def main() -> None:
    """Kill, go on, compare."""
    with TemporaryDirectory() as folder:
        checkpoint = Path(folder, "fit.npz")
        print("A process learns, and is killed as soon as it has kept something:")
        killed_when_there_is(checkpoint)

        print("\nOther settings would be another question, so they are refused:")
        try:
            learn(checkpoint, epochs=20)
        except CheckpointError as error:
            print(error)

        print("\nThe same settings go on:")
        began = time.perf_counter()
        continued = learn(checkpoint)
        print(f"{time.perf_counter() - began:.1f} seconds for the rest")
        print("the checkpoint is still there:", checkpoint.exists())

    print("\nThe same once more, undisturbed:")
    began = time.perf_counter()
    undisturbed = learn()
    print(f"{time.perf_counter() - began:.1f} seconds for all of it")
    print(undisturbed.rules_)
    print(undisturbed.frontier_)
    print("\nthe same rules:", continued.rules_ == undisturbed.rules_)
    print("the same rules of every size:", continued.frontier_ == undisturbed.frontier_)


if __name__ == "__main__":  # the child imports this file
    main()
