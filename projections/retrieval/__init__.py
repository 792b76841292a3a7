"""Retrieval: from a caller's question to what memory answers it with, tier by tier."""
