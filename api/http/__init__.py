"""How HTTP requests come in and answers go out."""
