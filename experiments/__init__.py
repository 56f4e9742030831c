"""Experiments: what crisplogic is worth, measured. Not part of the package."""
