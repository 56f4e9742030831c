"""Archives: arrays of numpy and a JSON text in one file. Reading one executes nothing.

An archive is a zip file, as ``numpy.savez`` writes it. Everything in it is stored as it is, so
reading needs no more memory than the file is large, whatever the file says.
"""

from __future__ import annotations

import json
import math
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crisplogic.files import atomic_binary_writer, open_binary

Arrays = Mapping[str, NDArray[Any]]

# The name of the JSON text among the arrays.
ABOUT = "about"
# The kinds of arrays that need no pickle: truth values, numbers and text.
KINDS = "biufU"
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class ArchiveError(ValueError):
    """A file is no archive, or a damaged one."""


# The errors of zipfile, numpy and json for files that they cannot read.
_DAMAGE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    LookupError,
    TypeError,
    ValueError,
    SyntaxError,
    RuntimeError,
    MemoryError,
    OverflowError,
)


def write_archive(
    path: str | os.PathLike[str], about: Mapping[str, Any], arrays: Arrays
) -> None:
    """Write an archive, completely or not at all. ``about`` is what JSON can hold.

    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "some.npz")
    >>> write_archive(path, {"unit": "cm"}, {"sizes": np.array([1.5, 2.0])})
    >>> read_archive(path)
    ({'unit': 'cm'}, {'sizes': array([1.5, 2. ])})
    """
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    with atomic_binary_writer(path) as file:
        np.savez(file, **{ABOUT: text}, **arrays)  # type: ignore[arg-type]


def read_archive(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What an archive says, and its arrays, after checking all of it."""
    with open_binary(path) as file:
        try:
            arrays = _read_arrays(file)
            if ABOUT not in arrays:
                raise ValueError("it has no description")
            about = json.loads(arrays.pop(ABOUT).tobytes())
        except _DAMAGE_ERRORS as error:
            raise ArchiveError(str(error)) from error
    if not isinstance(about, dict):
        raise ArchiveError("its description is no JSON object")
    return about, arrays


def _read_arrays(file: BinaryIO) -> dict[str, NDArray[Any]]:
    size = file.seek(0, os.SEEK_END)
    if size == 0:  # or it is a device, which has no end
        raise ValueError("it is empty")
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_sizes(members, size)
        # Reading a member to its end checks its sum.
        return {
            member.filename.removesuffix(".npy"): _read_array(archive.read(member))
            for member in members
        }


def _check_sizes(members: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse a file that would unfold to more than it holds."""
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ValueError("it is compressed, which none of ours is")
    if sum(member.file_size for member in members) > size:
        raise ValueError("it says that it holds more than it does")
    if len({member.filename for member in members}) < len(members):
        raise ValueError("it holds two arrays of one name")


def _read_array(content: bytes) -> NDArray[Any]:
    """An array from its bytes; the header is checked before anything is made of it."""
    stream = BytesIO(content)
    shape, in_fortran_order, dtype = _HEADERS[npy.read_magic(stream)](stream)
    start = stream.tell()
    if dtype.hasobject or dtype.kind not in KINDS:
        raise ValueError(f"arrays must hold numbers or text, got {dtype}")
    needed = math.prod(shape) * dtype.itemsize
    if needed != len(content) - start:
        raise ValueError(f"an array needs {needed} bytes, got {len(content) - start}")
    values: NDArray[Any] = np.ndarray(
        shape, dtype, content, start, order="F" if in_fortran_order else "C"
    )
    if dtype.kind == "U":
        _check_characters(content[start:], dtype)
    return values.copy()


def _check_characters(text: bytes, dtype: np.dtype[Any]) -> None:
    """Refuse numbers that stand for no character; numpy would fail later."""
    numbers = np.frombuffer(text, np.dtype(np.uint32).newbyteorder(dtype.byteorder))
    if (numbers > sys.maxunicode).any():
        raise ValueError("a text has characters that do not exist")
