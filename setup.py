"""The compiled kernels; pyproject.toml says all else.

They are optional: where there is no compiler, the package is built without them, and numpy
computes the same.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/kernels")
# Floats are added in the order of the program and never fused, so that results are the same on
# all processors: neither -ffast-math nor a contraction to fused operations is allowed. What
# floats do besides their value, errno and exceptions, is not used: loops can be vectorized.
OPTIONS = {
    "unix": [
        "-std=c++17",
        "-O3",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-fvisibility=hidden",
        "-g0",  # debug symbols would be fifteen times the size of the code
        "-Wall",
        "-Wextra",
    ],
    "msvc": ["/std:c++17", "/O2", "/fp:precise", "/EHsc"],
}


class BuildKernels(build_ext):
    """Builds with the options of the compiler that is there."""

    def build_extensions(self) -> None:
        """Build all extensions."""
        for extension in self.extensions:
            extension.extra_compile_args = OPTIONS.get(self.compiler.compiler_type, [])
        super().build_extensions()


setup(
    ext_modules=[
        Extension(
            "crisplogic._kernels",
            sources=sorted(map(str, KERNELS.rglob("*.cpp"))),
            depends=sorted(map(str, KERNELS.rglob("*.h"))),
            include_dirs=[str(KERNELS)],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,  # one binary for Python 3.11 and all later ones
            optional=True,
        )
    ],
    cmdclass={"build_ext": BuildKernels},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
