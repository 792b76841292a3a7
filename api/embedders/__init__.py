"""Models that turn texts into vectors: the local one, those of providers, and the last resort without a model."""
