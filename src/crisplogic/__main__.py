"""``python -m crisplogic``: the command line."""

from crisplogic.cli import main

if __name__ == "__main__":
    main()
