"""What keeps the server or a command from starting."""


class StartupError(Exception):
    """One clear line for the terminal; the process exits with a status other than 0."""
