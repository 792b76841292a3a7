"""What asking a language model took. A stored format: add fields with defaults."""

from collections.abc import Iterable

import msgspec


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """calls: requests sent, failed ones too. Tokens as the provider counts them. cost: in the currency of the
    configuration's price table, None where no price of the model is known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


NO_USAGE = Usage()


def total(usages: Iterable[Usage]) -> Usage:
    """The sum; its cost is that of the calls whose cost is known, None if of none."""
    parts = list(usages)
    costs = [part.cost for part in parts if part.cost is not None]
    return Usage(
        calls=sum(part.calls for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cost=sum(costs) if costs else None,
    )
