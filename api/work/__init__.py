"""Background work: the queue, its worker and its tasks."""
