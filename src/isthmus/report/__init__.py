"""The report: one page about a result, and what a notebook shows of it."""

from isthmus.report.page import result_html, write_report

__all__ = ["result_html", "write_report"]
