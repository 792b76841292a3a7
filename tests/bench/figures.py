"""How a benchmark prints: readable lines as figures come in, then one JSON object as the last line."""

import json


class Figures:
    """Collects figures under short names, each printed when it is known."""

    def __init__(self) -> None:
        self._figures: dict[str, float] = {}

    def add(self, name: str, value: float, text: str, *, least: float | None = None, most: float | None = None) -> None:
        """text: what it is and its unit. least, most: the target, if there is one."""
        self._figures[name] = round(value, 4)
        target = ""
        if least is not None:
            target = f"   target >= {least:g}{'' if value >= least else ': MISSED'}"
        if most is not None:
            target = f"   target <= {most:g}{'' if value <= most else ': MISSED'}"
        print(f"{value:>12,.3f}  {text}{target}", flush=True)

    def note(self, text: str) -> None:
        print(text, flush=True)

    def finish(self) -> None:
        print(json.dumps(self._figures))
