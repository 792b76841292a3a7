"""Extraction by a language model: one structured call a turn, whose answer is trusted in nothing."""

from memory.extraction.model.extractor import ModelExtractor

__all__ = ["ModelExtractor"]
