"""When a newer directive is contrary to an older one."""

import pytest

from memory.directives import directive


@pytest.mark.parametrize(
    ("older", "newer", "contrary"),
    [
        ("always reply in French", "reply in German from now on", True),
        ("always reply in French", "please answer in french", False),
        ("use emojis", "stop using emojis", True),
        ("never mention competitors", "mention competitors", True),
        ("keep answers short", "give detailed answers", True),
        ("keep answers short", "be brief", False),
        ("use metric units", "use imperial units", True),
        ("always reply in French", "never mention competitors by name", False),
        ("call me Al", "always cite sources", False),
        ("", "", False),
    ],
)
def test_a_directive_is_contrary_if_both_cannot_be_followed(older: str, newer: str, contrary: bool) -> None:
    assert directive(newer).is_contrary_to(directive(older)) is contrary
    assert directive(older).is_contrary_to(directive(newer)) is contrary
