"""Help, usage, and errors of the whole command line."""

from __future__ import annotations

from importlib import metadata

import pytest
from typer.testing import CliRunner

from crisplogic.cli import app
from tests.cli.running import Run, assert_refused

COMMANDS = [
    "demo",
    "fit",
    "predict",
    "evaluate",
    "rules",
    "explain",
    "frontier",
    "importance",
    "shape",
]


@pytest.mark.parametrize("arguments", [[], ["--help"]], ids=["nothing", "help"])
def test_help_names_every_command_and_where_to_start(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    for words in (
        *COMMANDS,
        "Start with: crisplogic demo",
        "Exit codes: 0 ",
        "130 interrupted",
    ):
        assert words in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_in_plain_ascii(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"    crisplogic {name}" in result.stdout
    assert result.stdout.isascii()


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (
        0,
        f"crisplogic {metadata.version('crisplogic')}\n",
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nosuch"], "'nosuch'"),
        (["--nope"], "--nope"),
        (["fit"], "Missing argument"),
        (["fit", "people.csv"], "'--target'"),
        (["rules", "rules.json", "more"], "more"),
        (["fit", "people.csv", "--target", "ill", "--depth", "0"], "'--depth'"),
        (["fit", "people.csv", "--target", "ill", "--epochs", "many"], "'--epochs'"),
        (["fit", "people.csv", "--target", "ill", "--epochs", "1.5"], "'--epochs'"),
        (["fit", "people.csv", "--target", "ill", "--max-literals", "0"], "'--max-literals'"),
        (["fit", "people.csv", "--target", "ill", "--seed", "-1"], "'--seed'"),
        (["fit", "people.csv", "--target", "ill", "--seed", str(2**32)], "'--seed'"),
        (["predict", "rules.json"], "Missing argument"),
        (["rules", "rules.json", "--asci"], "--ascii"),
    ],
    ids=str,
)
def test_wrong_usage_is_one_error_that_says_where_help_is(
    run: Run, arguments: list[str], expected: str
) -> None:
    group = (
        "crisplogic" if arguments[0] in ("nosuch", "--nope") else f"crisplogic {arguments[0]}"
    )
    assert_refused(run(*arguments), expected, f"try '{group} --help'")
