"""The conversation loop: window, retrieval, prompt, reply with citations, and both turns kept."""
