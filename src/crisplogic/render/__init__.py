"""Expressions in the languages that people and machines read, one target a file."""

from crisplogic.render.shared import definitions, named_parts
from crisplogic.render.text import to_text

__all__ = ["definitions", "named_parts", "to_text"]
