"""Benchmarks: how fast crisplogic is, measured. Not part of the package."""
