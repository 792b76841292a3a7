"""What callers may send and what they get: names and types of the wire."""
