"""Compiled loops. Use them through :mod:`crisplogic.kernels`: they may not be there."""
