"""Runs exports on this machine, so that they can be compared with the library."""
