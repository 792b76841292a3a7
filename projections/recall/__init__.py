"""Recall: from a question to the passages that answer it."""
