"""What is known now: read models folded from events, and the reads over them."""
