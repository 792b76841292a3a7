"""Phrases as the tables write them: what a template takes, what it refuses, and that all of them are sound."""

import pytest

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook import PHRASES
from memory.extraction.families.phrasebook.templates import Template, told


def one(phrase: str, aspect: Aspect = Aspect.STATE) -> Template:
    (template,) = told(f"\n    {phrase}\n", aspect)
    return template


def said(template: Template, text: str) -> dict[str, str] | None:
    """The values that `template` takes from `text`, which begins behind the subject, if it has one."""
    found = template.match(text, 0, len(text))
    if found is None:
        return None
    return {one.key: found[one.group] if one.group else one.says for one in template.fillings}


@pytest.mark.parametrize(
    "text",
    [
        "have a soft spot for jazz",
        "has always had a soft spot for jazz",
        "'ve really got a soft spot for jazz",
        "used to have a soft spot for jazz",
        "don't have a soft spot for jazz",
    ],
)
def test_a_verb_is_taken_in_any_form_with_its_auxiliaries(text: str) -> None:
    assert said(one("{who} <have> a soft spot for {likes}"), text) == {"likes": "jazz"}


@pytest.mark.parametrize("text", ["promised Ana to have a soft spot for jazz", "have a spot for jazz", "halve it"])
def test_other_words_around_a_verb_are_not_taken(text: str) -> None:
    assert said(one("{who} <have> a soft spot for {likes}"), text) is None


def test_a_denied_verb_is_taken_with_its_negation_only() -> None:
    template = one("{who} <not be> a fan of {dislikes}")
    assert template.denies
    assert said(template, "'m really not a fan of jazz") == {"dislikes": "jazz"}
    assert said(template, "isn't a fan of jazz") == {"dislikes": "jazz"}
    assert said(template, "'m a fan of jazz") is None


def test_what_begins_and_what_ends_are_told_apart() -> None:
    template = one("{who} <swap> {-uses} for {+uses}")
    assert [(filling.key, filling.aspect) for filling in template.fillings] == [
        ("uses", Aspect.END),
        ("uses", Aspect.EVENT),
    ]


def test_choices_options_and_values_without_words() -> None:
    template = one("{who} <keep|eat> [strictly] {diet=kosher|halal}")
    assert said(template, "keeps strictly halal") == {"diet": "halal"}
    assert said(template, "eat kosher") == {"diet": "kosher"}
    assert said(template, "eat rice") is None
    assert said(one("{who} <cut> hair -> job_title = hairdresser"), "cut hair") == {"job_title": "hairdresser"}


def test_a_line_goes_on_where_it_is_indented_further() -> None:
    (template,) = told("\n    {who} <be> (fond of|\n        keen on) {likes}\n")
    assert said(template, "am keen on jazz") == {"likes": "jazz"}


@pytest.mark.parametrize("phrase", ["{who} <be> (into {likes}", "{who} <be> into) {likes}", "{who} <be> into {lkies}"])
def test_a_phrase_that_is_written_wrongly_is_refused(phrase: str) -> None:
    with pytest.raises(ValueError, match=r"bracket|no such fact"):
        one(phrase)


@pytest.mark.parametrize(
    "text", ["i have had have had have had have had have had " * 40, "really " * 400, "a, b, c, " * 200]
)
def test_no_text_takes_long(text: str) -> None:
    for template in PHRASES:
        template.match(text, 0, min(len(text), 2_000))


def test_every_phrase_compiles_tells_something_and_is_found_by_a_word() -> None:
    assert len(PHRASES) > 500
    for template in PHRASES:
        template.match("", 0, 0)
        assert template.fillings, template.source
        assert template.words, template.source
