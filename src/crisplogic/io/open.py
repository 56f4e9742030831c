"""Which kind of file it is: text, or one of Arrow's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from crisplogic.io.arrow import ArrowFile
from crisplogic.io.files import ARROW, PARQUET, opened
from crisplogic.io.text import Layout, TextFile, decoded


@contextmanager
def opened_table(
    path: str | os.PathLike[str], layout: Layout | None = None
) -> Iterator[TextFile | ArrowFile]:
    """A table in a file, open and past its header. How it begins says what it is."""
    with opened(path) as file:
        if file.begins_with(PARQUET, ARROW):
            yield ArrowFile(file)
        else:
            layout = layout or Layout()
            with decoded(file, layout.encoding) as lines:
                yield TextFile(file, lines, layout)
