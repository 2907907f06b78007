"""Extraction without a model: tables of Chinese and English phrases, read by a chart parser."""

from assay.reports.rules._extractor import RulesExtractor

__all__ = ["RulesExtractor"]
