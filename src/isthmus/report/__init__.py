"""The report: one page about a result, and bridges for notebooks."""

from isthmus.report.page import result_html, topics_html, write_report

__all__ = ["result_html", "topics_html", "write_report"]
