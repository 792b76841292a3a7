"""How long something is allowed or takes: "returns are accepted within 30 days", "the notice period is a month".

Such sentences stand in handbooks and are said by users, and both must mean the same: the policy of that
thing, with a `time_limit`.
"""

import re
from collections.abc import Iterator

from memory.candidates import Mention
from memory.extraction.claims import Claim
from memory.extraction.turns import Reading

_NUMBERS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True)
) | {"a": 1, "an": 1, "fourteen": 14, "fifteen": 15, "thirty": 30, "sixty": 60, "ninety": 90}
_COUNT = rf"(?P<count>\d{{1,4}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<kind>(?:business|working|calendar)\s+)?(?P<unit>minute|hour|day|week|month|year)s?"
_SPAN = rf"(?:of\s+)?{_COUNT}[\s-]+{_UNIT}\b"

# What is allowed or takes place within a time.
_THINGS = {
    "return": "Returns",
    "refund": "Refunds",
    "exchange": "Exchanges",
    "cancellation": "Cancellations",
    "complaint": "Complaints",
    "claim": "Claims",
    "delivery": "Delivery",
    "shipping": "Delivery",
    "expense": "Expenses",
    "warranty": "Warranty",
    "trial": "Trial",
    "notice": "Notice",
    "probation": "Probation",
    "payment": "Payment",
    "retention": "Retention",
    "response": "Response",
}
_THING = rf"(?P<thing>{'|'.join(sorted(_THINGS, key=len, reverse=True))})"
_DONE = (
    r"(?:\w+\s+){0,3}?(?:accepted|possible|allowed|permitted|paid|made|processed|filed|submitted|issued|granted|free)"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # "Returns (of unused goods) are accepted within 30 days"
        (
            rf"^(?:all\s+|the\s+|our\s+)?{_THING}s?(?:\s+of\s+[\w\s-]{{1,40}})?\s+(?:is|are|can\s+be|may\s+be|must\s+be)\s+"
            rf"(?:{_DONE}\s+)?within\s+{_SPAN}"
        ),
        # "The return window is 30 days"
        rf"^(?:the|our)\s+{_THING}\s+(?:period|window|time|policy|deadline|limit)\s+is\s+(?:now\s+)?{_SPAN}$",
    )
)


class Policies:
    """`time_limit` of a policy."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        text = " ".join(reading.about.split())
        for form in _FORMS:
            found = form.search(text)
            if found is None:
                continue
            count = found["count"].lower()
            number = _NUMBERS.get(count) or int(count)
            kind = f"{found['kind'].split()[0].lower()} " if found["kind"] else ""
            yield Claim(
                subject=Mention(type="policy", name=_THINGS[found["thing"].lower()]),
                key="time_limit",
                value=f"{number} {kind}{found['unit'].lower()}{'' if number == 1 else 's'}",
                start=reading.start,
                end=reading.end,
                category="knowledge",
            )
            return
