"""Documents: from the bytes of a file to text, sections, chunks, keywords and links."""
