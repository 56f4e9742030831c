"""The command line ``crisplogic``.

Commands read arguments, call the library and print. Their slow imports are inside functions, so
that ``crisplogic --help`` answers at once and ``predict`` and ``rules`` never load torch.
"""

from crisplogic.cli.app import app, main

# Help lists the commands in this order.
# isort: off
from crisplogic.cli import (
    demo,
    fit,
    predict,
    evaluate,
    show,
    report,
    edit,
    export,
    serve,
    columns,
)
# isort: on

__all__ = [
    "app",
    "columns",
    "demo",
    "edit",
    "evaluate",
    "export",
    "fit",
    "main",
    "predict",
    "report",
    "serve",
    "show",
]
