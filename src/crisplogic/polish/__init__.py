"""The polish after the snap: rules searched, refitted and shrunk with numpy alone."""

from crisplogic.polish.sample import Sample
from crisplogic.polish.search import Judge, search

__all__ = ["Judge", "Sample", "search"]
