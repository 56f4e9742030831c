"""The polish after the snap: rules searched, refitted and shrunk with numpy alone."""

from crisplogic.polish.demands import Demands
from crisplogic.polish.sample import Sample
from crisplogic.polish.search import Judge, error_of, search

__all__ = ["Demands", "Judge", "Sample", "error_of", "search"]
