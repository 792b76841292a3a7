"""Settings: of the server, and of each context over them."""
