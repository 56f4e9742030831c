"""Archives: arrays and JSON come back; other files take no memory and no time."""

from __future__ import annotations

import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.archive import ArchiveError, read_archive, write_archive
from tests.platforms import posix

ARRAYS: dict[str, NDArray[Any]] = {
    "nothing": np.empty((0, 3)),
    "one": np.array(1.5, dtype=np.float32),
    "by columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "strided": np.arange(10)[::3],
    "big-endian": np.arange(3, dtype=">i4"),
    "truth": np.array([[True], [False]]),
    "text": np.array(["é\n", "", "x" * 9]),
    "big-endian text": np.array(["é", "\U0001f600"]).astype(">U2"),
    "a/../b": np.array([np.nan, -0.0, np.inf]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.npz"


def test_arrays_come_back_with_type_shape_and_values(path: Path) -> None:
    about = {"names": ["a", None, 1.5], "lone": "\ud800"}
    write_archive(path, about, ARRAYS)
    again, arrays = read_archive(path)
    assert again == about
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert (arrays[name].dtype, arrays[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].flags.writeable


@given(hnp.arrays(st.sampled_from(["f4", "f8", "i8", "u1", "?"]), hnp.array_shapes(min_side=0)))
def test_any_array_comes_back_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory, array: NDArray[Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.npz"
    write_archive(path, {}, {"it": array})
    (again,) = read_archive(path)[1].values()
    assert (again.dtype, again.shape, again.tobytes()) == (
        array.dtype,
        array.shape,
        array.tobytes(),
    )


def npy(array: NDArray[Any], shape: tuple[int, ...] | None = None) -> bytes:
    """An array as a file, which may claim to have another shape."""
    file = BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=array.dtype.hasobject)
    content = file.getvalue()
    if shape is None:
        return content
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": shape}
    start = BytesIO()
    np.lib.format.write_array_header_1_0(start, header)
    return start.getvalue() + content[-array.nbytes :]


def write_zip(path: Path, compression: int = zipfile.ZIP_STORED, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in {"about": npy(np.frombuffer(b"{}", np.uint8)), **members}.items():
            archive.writestr(f"{name}.npy", content)


HOSTILE = {
    "huge": (npy(np.zeros(2), (10**15,)), "needs 8000000000000000 bytes, got 16"),
    "negative": (npy(np.zeros(2), (-1, -2)), "negative|bytes"),
    "shorter": (npy(np.zeros(2), (1,)), "needs 8 bytes, got 16"),
    "objects": (npy(np.array([{}], dtype=object)), "numbers or text, got object"),
    "dates": (npy(np.array(["2020"], dtype="M8[Y]")), "numbers or text, got datetime64"),
    "parts": (npy(np.zeros(2, dtype=[("a", "f8"), ("b", "O")])), "numbers or text"),
    "no characters": (
        npy(np.array([2**31 - 1], np.int32).view("<U1")),
        "characters that do not exist",
    ),
    "no array": (b"age,ill", "magic|EOF|string"),
    "nothing": (b"", "magic|EOF|reading"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_an_array_that_is_not_what_it_says_is_refused(path: Path, kind: str) -> None:
    content, said = HOSTILE[kind]
    write_zip(path, it=content)
    with pytest.raises(ArchiveError, match=said):
        read_archive(path)


def test_nothing_unfolds_to_more_than_the_file_holds(path: Path) -> None:
    write_zip(path, zipfile.ZIP_DEFLATED, it=npy(np.zeros(10**7)))
    assert path.stat().st_size < 10**6
    tracemalloc.start()
    with pytest.raises(ArchiveError, match="compressed"):
        read_archive(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10**6


def test_members_that_overlap_are_refused(path: Path) -> None:
    """Many names for the same bytes would unfold to much more, without any compression."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("0.npy", npy(np.zeros(1000)))
        first = archive.infolist()[0]
        for number in range(1, 50):
            copy = zipfile.ZipInfo(f"{number}.npy")
            for name in ("header_offset", "CRC", "file_size", "compress_size"):
                setattr(copy, name, getattr(first, name))
            archive.filelist.append(copy)
    with pytest.raises(ArchiveError, match="more than it does"):
        read_archive(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for _ in range(2):
            archive.writestr("about.npy", npy(np.frombuffer(b"{}", np.uint8)))
    with pytest.raises(ArchiveError, match="two arrays of one name"):
        read_archive(path)


@pytest.mark.parametrize("text", [b"[]", b"{", b"\xff", b"[" * 100_000, b"9" * 5000])
def test_a_description_that_is_no_object_is_refused(path: Path, text: bytes) -> None:
    with path.open("wb") as file:
        np.savez(file, about=np.frombuffer(text, np.uint8))
    with pytest.raises(ArchiveError):
        read_archive(path)


@posix
@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero"])
def test_an_endless_file_is_refused_at_once(device: str) -> None:
    with pytest.raises(ArchiveError):
        read_archive(device)


def test_errors_of_the_system_stay_what_they_are(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_archive(path)
    with pytest.raises(FileNotFoundError):
        write_archive(path / "none" / "some.npz", {}, {})
    with pytest.raises((IsADirectoryError, PermissionError)):  # the latter on Windows
        read_archive(path.parent)
