"""The frame of an experiment: from its command line over its tasks to its page."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.harness.command_line import add_run_options, exit_code
from experiments.harness.origin import Origin, current_origin, now
from experiments.harness.pages import write_page
from experiments.harness.runs import add_part_options, measure, prepare
from experiments.harness.store import Document
from experiments.harness.tasks import Task

RESULTS = Path(__file__).parents[1] / "results"
CONTINUED = "A run that was stopped continues where it stopped."


@dataclass(frozen=True)
class Experiment:
    """An experiment whose tasks are all alike: each gives a document, all give a page.

    ``name`` is that of the package, the folder of results and the page: ``other-tables`` for
    ``experiments.other_tables``. ``tasks_for`` fails if something is missing, so that this is
    known before anything is forgotten or measured. ``what`` is what a task measures, in one
    word. ``to_markdown`` writes the page from documents, the origin of the page and its date.
    """

    name: str
    description: str
    what: str
    add_options: Callable[[argparse.ArgumentParser], None]
    tasks_for: Callable[[argparse.Namespace], Sequence[Task]]
    to_markdown: Callable[[Sequence[Document], Origin, str], str]

    @property
    def results(self) -> Path:
        """The folder of the committed results."""
        return RESULTS / self.name

    @property
    def module(self) -> str:
        """What ``python -m`` runs."""
        return f"experiments.{self.name.replace('-', '_')}"

    def main(self, arguments: Sequence[str]) -> int:
        """Run the experiment and return the exit code."""
        options = self._parser().parse_args(arguments)
        return exit_code(lambda: self._run(options, arguments))

    def _run(self, options: argparse.Namespace, arguments: Sequence[str]) -> None:
        origin = current_origin(self.module, arguments)
        tasks = self.tasks_for(options)
        documents = measure(tasks, prepare(options, tasks), origin, options, self.what)
        if documents is not None:
            page = self.to_markdown(documents, origin, now())
            write_page(page, options.output / f"{self.name}.md")

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(
            prog=f"python -m {self.module}",
            description=f"{self.description} {CONTINUED}",
        )
        self.add_options(parser)
        add_run_options(parser, self.results)
        add_part_options(parser)
        return parser
