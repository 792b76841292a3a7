"""Likes, dislikes and favourites."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from spacy.tokens import Token

from memory.candidates import SPEAKER, Polarity
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import subject_of
from memory.extraction.lexicon import FIRST_PERSON_POSSESSIVE, listed
from memory.extraction.phrases import Phrase, is_pointing, value_of
from memory.extraction.stated_time import Tense
from memory.extraction.turns import Reading

_LIKES = listed("like love enjoy adore")
_DISLIKES = listed("hate dislike detest loathe despise")
_PREFERS = frozenset(("prefer",))
_CHOICES = listed("option version answer draft suggestion choice variant")
_FILLER = listed("much lot bit all way idea fact chance opportunity")
_GOES_ON = listed("DT PRP PRP$ NN NNS NNP VB VBN JJ WP WDT")
_NUISANCE = re.compile(
    r"^being (?!outdoors|outside|alone|in nature|a |an |with|near|around|at home|by)|\b(?:waiting|stuck|ignored|"
    r"traffic|"
    r"crash\w*|bugs?|deadlines|mondays?|queues?|queuing|tax(?:es)?|errors?|spam|paperwork|bureaucracy|hangovers?|losing|late)\b",
    re.IGNORECASE,
)
_MOCKING = re.compile(
    r"^\W*(?:oh (?:sure|great|joy|yeah|brilliant|wonderful)|yeah,? right|great,|brilliant,|yay,|lucky me|don't "
    r"you just)|"
    r"\b(?:said no one|don't we all|for us|for me|for that|not|/s)\W*$|\bobviously\b|🙄",
    re.IGNORECASE,
)
_SNAKE = re.compile(r"[^a-z0-9]+")


class Preferences:
    """likes, dislikes, preference and favourite_<kind> of the speaker or a named person."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._favourites(reading)
        actor = reading.actor
        if actor is None or (not actor.speaker and actor.type == "event"):
            return
        yield from self._rather(reading)
        standing = reading.standing
        if standing.tense is Tense.PAST and standing.polarity is Polarity.AFFIRMED:
            return  # "I loved the concert" tells of one occasion
        if standing.progressive or standing.reason == "hypothetical":
            return  # "I'd like a table" asks for one
        key, words = self._slot(reading)
        if not key:
            return
        for phrase in words:
            value = self._value(phrase)
            if value and not (key == "likes" and _is_sarcastic(reading, value)):
                claim = Claim(
                    subject=subject_of(reading, "person"),
                    key=key,
                    value=value,
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="knowledge",
                )
                yield claim
                if key == "likes" and _says_dislike(reading):
                    yield replace(claim, key="dislikes", aspect=Aspect.GIVEN, confidence=0.85)

    def _slot(self, reading: Reading) -> tuple[str, list[Phrase]]:
        lemma = reading.lemma
        can_not = any(child.lower_ in ("ca", "can", "could", "cannot") for child in reading.clause.head.children)
        if lemma in ("stand", "bear", "tolerate") and can_not:
            return "dislikes", reading.direct()
        if lemma in _LIKES or reading.clause.head.lower_ == "like":
            return "likes", self._objects(reading)
        if lemma in _DISLIKES:
            return "dislikes", self._objects(reading)
        if lemma in _PREFERS:
            return "preference", self._objects(reading)
        if lemma == "be":
            return self._being(reading)
        return "", []

    def _being(self, reading: Reading) -> tuple[str, list[Phrase]]:
        """ "I'm into X", "I'm a (big) fan of X", "I'm fond of X"."""
        phrases = reading.phrases
        if phrases and phrases[0].preposition == "into":
            return "likes", [phrase for phrase in phrases if phrase.preposition == "into"]
        for phrase in phrases[:1]:
            lowered = [word.lower_ for word in phrase.words]
            for cue, link in (("fan", "of"), ("fond", "of"), ("lover", "of"), ("keen", "on")):
                if cue in lowered and link in lowered[lowered.index(cue) :]:
                    rest = phrase.words[lowered.index(link) + 1 :]
                    return "likes", [Phrase(rest, tail=rest)] if rest else []
        near = [word.lower_ for word in reading.clause.after[:3]]
        for cue, link in (("keen", "on"), ("crazy", "about"), ("passionate", "about"), ("obsessed", "with")):
            if cue in near:
                return "likes", [phrase for phrase in phrases if phrase.preposition == link][:1]
        return "", []

    def _rather(self, reading: Reading) -> Iterator[Claim]:
        """ "I'd rather take the train than fly": a wish by its form, a preference by its meaning."""
        actor, head = reading.actor, reading.clause.head
        if actor is None or not actor.speaker or head.tag_ not in ("VB", "VBP"):
            return
        if not any(child.lower_ == "rather" and child.i < head.i for child in head.children):
            return
        than = next((word for word in reading.clause.sentence if word.lower_ == "than" and word.i > head.i), None)
        if than is None:
            return
        words = [word for word in reading.clause.sentence if head.i <= word.i < than.i]
        thing = [word for word in words[1:] if word.tag_ != "DT"] if head.lemma_ in ("get", "have", "receive") else []
        if not is_pointing(words[1:2]) or len(words) == 1:
            words = thing or words
            yield Claim(
                subject=SPEAKER,
                key="prefers" if thing else "preference",
                value=value_of(words),
                start=reading.start,
                end=reading.end,
                category="knowledge",
                aspect=Aspect.GIVEN,
                confidence=0.85,
            )

    def _objects(self, reading: Reading) -> list[Phrase]:
        """Direct objects, and "to hike" or "hiking in the hills" after the verb."""
        phrases = reading.phrases
        if phrases and phrases[0].preposition == "to" and phrases[0].words[0].tag_ in ("VB", "NN", "VBP"):
            asked = any(word.tag_ == "WP" and word.i < reading.clause.head.i for word in reading.clause.own)
            return [] if asked else [phrases[0]]  # "that's what I like to hear"
        chosen = []
        for position, phrase in enumerate(phrases):
            if phrase.preposition or (position and not phrase.listed):
                break
            chosen.append(phrase)
        return chosen

    def _value(self, phrase: Phrase) -> str:
        words: Sequence[Token] = phrase.tail or phrase.words
        if is_pointing(words) or any(
            word.lower_ in ("you", "your", "this", "that", "it", "these", "those", "them", "him", "her")
            for word in words
        ):
            return ""
        if words[0].i and words[0].nbor(-1).lower_ == "the" and words[0].tag_ not in ("NNP", "NNPS"):
            return ""  # "the smell": of something said elsewhere
        if any(child.dep_ == "relcl" for word in words for child in word.children):
            return ""
        following = words[-1].nbor(1) if words[-1].i + 1 < len(words[-1].doc) else None
        if following is not None and following.tag_ == "VBG" and words[-1].tag_ == "NN":
            words = (*words, following)  # "trail running", which the model takes for a clause
        elif following is not None and following.sent == words[-1].sent and following.tag_ in _GOES_ON:
            return ""  # "seeing [my friends succeed]": cut where another clause begins
        if phrase.words[-1].lower_ in _FILLER or words[0].lower_ in _CHOICES or words[0].tag_ in ("IN", "MD", "WRB"):
            return ""
        return value_of(words)

    def _favourites(self, reading: Reading) -> Iterator[Claim]:
        """ "My favourite colour is green", "green is my favourite colour"."""
        if reading.lemma != "be" or reading.clause.subject is None:
            return
        kind = _favourite_kind(reading.clause.subject)
        if kind is not None:
            for position, phrase in enumerate(reading.phrases):
                if phrase.preposition not in ("", "to") or (position and not phrase.listed):
                    break
                if value := self._value(phrase):
                    yield _favourite(reading, kind, value)
                if reading.clause.subject.tag_ != "NNS":
                    break
            return
        for phrase in reading.direct()[:1]:
            kind = _favourite_kind(phrase.words[-1])
            subject = reading.clause.subject
            words = tuple(subject.subtree)
            if kind is not None and not is_pointing(words):
                yield _favourite(
                    reading, kind, value_of([word for word in words if word.lower_ not in ("the", "a", "an")])
                )


def _is_sarcastic(reading: Reading, value: str) -> bool:
    """ "I just love being put on hold", "oh great, I love Mondays": praise of what nobody likes."""
    return _NUISANCE.search(value) is not None or _MOCKING.search(reading.clause.sentence.text) is not None


def _says_dislike(reading: Reading) -> bool:
    """ "I don't like X" says more than that liking is missing; "I don't love X" does not."""
    standing = reading.standing
    return (
        standing.polarity is Polarity.NEGATED
        and not standing.reason
        and standing.tense is Tense.PRESENT
        and (
            reading.lemma == "enjoy"
            or reading.clause.head.lower_ in ("like", "likes")
            or any(word.lower_ in ("fan", "keen") for word in reading.clause.after)
        )
    )


def _favourite_kind(noun: Token) -> str | None:
    children = list(noun.lefts)
    lowered = {child.lower_ for child in children}
    if not lowered & FIRST_PERSON_POSSESSIVE or not lowered & {"favourite", "favorite", "fave"}:
        return None
    words = [
        child.lower_ for child in children if child.dep_ in ("compound", "amod") and not child.lower_.startswith("fav")
    ]
    return _SNAKE.sub("_", " ".join([*words, noun.lemma_.lower()])).strip("_") or None


def _favourite(reading: Reading, kind: str, value: str) -> Claim:
    return Claim(
        subject=SPEAKER,
        key=f"favourite_{kind}",
        value=value,
        start=reading.start,
        end=reading.end,
        category="knowledge",
        aspect=Aspect.STATE,
    )
