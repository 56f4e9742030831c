"""Reports: rules and what is known of them as one HTML file (``crisplogic[report]``)."""

from crisplogic.report.page import Page, ReportError, check_can_report, render, write_report
from crisplogic.report.summary import Summary, summarize

__all__ = [
    "Page",
    "ReportError",
    "Summary",
    "check_can_report",
    "render",
    "summarize",
    "write_report",
]
