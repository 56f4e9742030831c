"""``python -m crisplogic``: the command line."""

from crisplogic.cli import main

main()
