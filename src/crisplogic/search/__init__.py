"""The search after the snap: rules improved, refitted and shrunk, with numpy alone."""

from crisplogic.search.refit import refit
from crisplogic.search.sample import Sample
from crisplogic.search.search import Judge, error_of, search

__all__ = ["Judge", "Sample", "error_of", "refit", "search"]
