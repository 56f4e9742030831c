"""The command line ``crisplogic``."""

from crisplogic.cli.commands import app
from crisplogic.cli.main import main

__all__ = ["app", "main"]
