"""Expressions in the languages that people and machines read, one target a file."""

from crisplogic.render.text import to_text

__all__ = ["to_text"]
