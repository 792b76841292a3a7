"""Facts told the other way round: "the laptop I use is a ThinkPad", "dark mode is what I choose"."""

from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import SPEAKER, Mention
from memory.extraction.claims import Claim
from memory.extraction.families.systems import agent_of
from memory.extraction.lexicon import JOB_HEADS, listed
from memory.extraction.phrases import Phrase, is_name, is_pointing, value_of
from memory.extraction.turns import Reading

_BEST = listed("like love enjoy prefer admire adore rate watch read drink eat play")
_CHOSEN = {
    **dict.fromkeys(("choose", "prefer", "pick", "want"), "preference"),
    "use": "uses",
    "like": "likes",
    "love": "likes",
    "enjoy": "likes",
    "hate": "dislikes",
    "drive": "drives",
    "play": "plays",
    "drink": "drinks",
}


class Clefts:
    """What a relative clause of the speaker's tells of the thing that it is about."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        if reading.lemma == "be" and reading.clause.subject is not None:
            yield from self._thing_is(reading, reading.clause.subject)
            yield from self._is_what(reading, reading.clause.subject)
        yield from self._lies_with(reading)

    def _thing_is(self, reading: Reading, subject: Token) -> Iterator[Claim]:
        """ "The laptop I use is a ThinkPad X1", "the composer I admire most is Arvo Pärt"."""
        verb = _verb_of_speaker(subject)
        phrase = reading.phrases[0] if reading.phrases else None
        if verb is None or phrase is None or phrase.preposition or not subject.tag_.startswith("NN"):
            return
        noun = subject.lemma_.lower()
        if noun in JOB_HEADS - listed("composer writer author singer actor actress artist painter poet director"):
            return
        if not is_name(phrase.words):
            return
        best = verb.lemma_.lower() in _BEST and any(child.lower_ in ("most", "best") for child in verb.children)
        yield _claim(reading, f"favourite_{noun}" if best else noun, value_of(phrase.words), phrase)

    def _is_what(self, reading: Reading, subject: Token) -> Iterator[Claim]:
        """ "Dark mode is what I choose"."""
        after = reading.clause.head.nbor(1) if reading.clause.head.i + 1 < len(reading.clause.head.doc) else None
        if after is None or after.lower_ != "what" or not subject.tag_.startswith("NN"):
            return
        verb = after.head
        told = any(child.dep_ == "nsubj" and child.lower_ in ("i", "we") for child in verb.children)
        key = _CHOSEN.get(verb.lemma_.lower())
        words = tuple(word for word in subject.subtree if word.i <= subject.i)
        if told and key is not None and not is_pointing(words):
            yield _claim(reading, key, value_of([word for word in words if word.tag_ != "DT"]))

    def _lies_with(self, reading: Reading) -> Iterator[Claim]:
        """ "Responsibility for the Kestrel API lies with Yusuf"."""
        subject = reading.clause.subject
        if (
            subject is None
            or subject.lemma_.lower() not in ("responsibility", "ownership")
            or reading.lemma
            not in (
                "lie",
                "rest",
                "be",
                "sit",
            )
        ):
            return
        things = [
            inner
            for child in subject.children
            if child.lower_ in ("for", "of")
            for inner in child.children
            if inner.dep_ == "pobj"
        ]
        for phrase in reading.phrases:
            agent = agent_of(phrase) if phrase.preposition == "with" else None
            if agent is not None and things:
                words = [word for word in things[0].subtree if word.tag_ != "DT"]
                yield Claim(
                    subject=Mention(type="project", name=value_of(words)),
                    key="owned_by",
                    value=agent,
                    start=reading.start,
                    end=reading.end,
                    category="knowledge",
                    confidence=0.85,
                )


def _verb_of_speaker(noun: Token) -> Token | None:
    """The verb of "I use" behind a noun."""
    for child in noun.children:
        if child.dep_ == "relcl" and any(
            word.dep_ == "nsubj" and word.lower_ in ("i", "we") for word in child.children
        ):
            plain = child.tag_ in ("VBP", "VB") and not any(word.dep_ in ("aux", "neg") for word in child.children)
            return child if plain else None
    return None


def _claim(reading: Reading, key: str, value: str, phrase: Phrase | None = None) -> Claim:
    return Claim(
        subject=SPEAKER,
        key=key,
        value=value,
        start=reading.start,
        end=max(reading.end, phrase.end if phrase is not None else 0),
        category="knowledge",
        confidence=0.8,
    )
