"""The command line as a client of any server: what it asks, and how it shows the answer."""
