"""Jobs and employers."""

from collections.abc import Iterator
from dataclasses import replace

from memory.candidates import SPEAKER, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import read_frames, subject_of
from memory.extraction.families.job_frames import JOB_FRAMES
from memory.extraction.families.job_titles import (
    could_be_title,
    has_job_head,
    is_job_head,
    title_words,
    without_headed,
)
from memory.extraction.lexicon import FIRST_PERSON_POSSESSIVE, HABIT_BY_VERB, listed
from memory.extraction.phrases import (
    Phrase,
    complements,
    is_lowercase_name,
    is_name,
    is_pointing,
    mention,
    value_of,
)
from memory.extraction.turns import Reading

_NO_WORKPLACE = listed("home night hand noon fun free money myself once lunch nights weekends least scale")
_WORKING = listed("freelancing working consulting volunteering interning")
_JOB_NOUNS = listed("job title position role occupation profession work")


class Work:
    """job_title and works_at of the speaker or a named person."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        for claim in self._all(reading):
            if claim.key == "job_title" and not could_be_title(str(claim.value)):
                continue
            if isinstance(claim.value, Mention) and claim.value.name.lower() in _NO_WORKPLACE:
                continue
            if claim.key == "field_of_study" and not _studies_a_field(reading):
                continue
            if reading.lemma == "join" and isinstance(claim.value, Mention) and _joins_team(reading):
                claim = replace(claim, key="works_on", value=Mention(type="project", name=claim.value.name))
            yield claim

    def _all(self, reading: Reading) -> Iterator[Claim]:
        frames = read_frames(reading, JOB_FRAMES)
        if reading.lemma in ("leave", "quit") and not _leaves_employer(reading):
            frames = iter(())
        if reading.lemma in ("become", "appoint", "name", "elect", "make") and not has_job_head(reading.direct()):
            frames = iter(())
        for claim in frames:
            yield from _with_employer(reading, claim)
        yield from self._my_employer_is(reading)
        yield from self._hired_by_others(reading)
        yield from self._is_a(reading)
        yield from self._my_job_is(reading)
        yield from self._got_a_job(reading)
        yield from self._working_as(reading)
        subject = reading.clause.subject
        if reading.lemma == "switch" and reading.actor is not None and subject is not None and subject.lower_ != "we":
            yield from self._switched(reading)

    def _got_a_job(self, reading: Reading) -> Iterator[Claim]:
        """ "I got a new job at Initech", "I have a position as a tutor at MIT"."""
        if reading.actor is None or reading.lemma not in (
            "have",
            "get",
            "take",
            "accept",
            "land",
            "start",
            "find",
            "lose",
        ):
            return
        direct = reading.direct()
        if not direct or direct[0].words[-1].lower_ not in ("job", "position", "role"):
            return
        aspect = {"have": Aspect.STATE, "lose": Aspect.END}.get(reading.lemma, Aspect.EVENT)
        for phrase in reading.phrases:
            if phrase.preposition in ("at", "with") and is_name(phrase.words):
                yield replace(_employer(reading, phrase, confidence=0.9), aspect=aspect)
            elif phrase.preposition == "as" and not is_pointing(phrase.words):
                yield Claim(
                    subject=subject_of(reading, "person"),
                    key="job_title",
                    value=value_of(phrase.words),
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="identity",
                    aspect=aspect,
                )

    def _working_as(self, reading: Reading) -> Iterator[Claim]:
        """ "I'm freelancing as an editor", where the model takes the verb for an adjective."""
        after = reading.clause.after
        if reading.actor is None or reading.lemma != "be" or not after or after[0].lower_ not in _WORKING:
            return
        for phrase in reading.phrases:
            if phrase.preposition == "as" and is_job_head(phrase.words):
                yield Claim(
                    subject=subject_of(reading, "person"),
                    key="job_title",
                    value=value_of(phrase.words),
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="identity",
                )

    def _is_a(self, reading: Reading) -> Iterator[Claim]:
        """ "I'm the CTO at Acme", and what follows a name: "I'm Alice, Head of Platform at Acme"."""
        actor = reading.actor
        if reading.lemma != "be" or actor is None or actor.type in ("location", "event"):
            return
        phrases = reading.phrases
        introduced = False
        for position, phrase in enumerate(phrases):
            if phrase.preposition == "with" and position == 0 and is_name(phrase.words) and actor == SPEAKER:
                if phrase.words[0].ent_type_ == "ORG":
                    yield _employer(reading, phrase, confidence=0.75)
                return
            if phrase.preposition:
                known = phrase.preposition == "at" or phrase.words[0].ent_type_ in ("ORG", "PRODUCT")
                behind_name = position == 1 and introduced and phrase.preposition in ("from", "at", "with")
                if behind_name and known and is_name(phrase.words):
                    yield _employer(reading, phrase, confidence=0.85)
                continue
            if position == 0 and actor == SPEAKER and _is_own_name(phrase):
                introduced = True
                continue
            if position and not (introduced and position == 1):
                return
            follower = phrases[position + 1] if position + 1 < len(phrases) else None
            at = (
                follower is not None
                and follower.preposition in ("at", "for", "with")
                and (is_name(follower.words) or is_lowercase_name(follower.words))
            )
            title = title_words(phrase)
            if not title:
                continue
            if title[0].lower_ == "our" and len(title) > 1 and is_job_head(title) and actor != SPEAKER:
                title = title[1:]  # "Jonas is our designer"
            if is_pointing(title) or title[0].tag_ == "PRP$":
                return
            known = is_job_head(title)
            title, headed = without_headed(title)
            if not known and not (at and follower is not None and follower.preposition == "at" and _articled(phrase)):
                return
            yield Claim(
                subject=subject_of(reading, "person"),
                key="job_title",
                value=value_of(title),
                start=reading.start,
                end=max(reading.end, phrase.end),
                category="identity",
                confidence=0.95 if known else 0.8,
            )
            if at and follower is not None:
                yield _employer(reading, follower, confidence=0.95 if is_name(follower.words) else 0.8)
            elif headed:
                yield _employer(reading, Phrase(headed), confidence=0.85)

    def _my_job_is(self, reading: Reading) -> Iterator[Claim]:
        """ "My job title is X", "my new role is X"."""
        subject = reading.clause.subject
        if reading.lemma != "be" or subject is None or subject.lower_ not in _JOB_NOUNS:
            return
        if not any(child.lower_ in FIRST_PERSON_POSSESSIVE for child in subject.children):
            return
        direct = reading.direct()
        if not direct or (
            direct[0].words[0].tag_ in ("JJ", "VBG", "RB", "JJR", "VBN") and not is_job_head(direct[0].words)
        ):
            return
        yield Claim(
            subject=SPEAKER,
            key="job_title",
            value=value_of(direct[0].words),
            start=reading.start,
            end=reading.end,
            category="identity",
        )

    def _my_employer_is(self, reading: Reading) -> Iterator[Claim]:
        """ "My new employer is Vantage"."""
        subject = reading.clause.subject
        if reading.lemma != "be" or subject is None or subject.lower_ not in ("employer", "workplace"):
            return
        direct = reading.direct()
        mine = any(child.lower_ in FIRST_PERSON_POSSESSIVE for child in subject.children)
        if mine and direct and is_name(direct[0].words):
            yield _employer(reading, direct[0], confidence=0.9, subject=SPEAKER)

    def _hired_by_others(self, reading: Reading) -> Iterator[Claim]:
        """ "They hired me as a data engineer at Globex": the speaker is the object."""
        if reading.lemma not in ("hire", "promote", "appoint", "employ", "make"):
            return
        after = reading.clause.after
        if not after or after[0].lower_ != "me":
            return
        prepositions = {"promote": ("to",), "make": ("",)}.get(reading.lemma, ("as",))
        rest = complements(after[1:], skip=[])
        for phrase in rest:
            if phrase.preposition in prepositions and (reading.lemma != "make" or is_job_head(phrase.words)):
                yield Claim(
                    subject=SPEAKER,
                    key="job_title",
                    value=value_of(phrase.words),
                    start=reading.start,
                    end=reading.end,
                    category="identity",
                    aspect=Aspect.EVENT,
                )
                break
        for phrase in rest:
            if phrase.preposition == "at" and is_name(phrase.words):
                yield Claim(
                    subject=SPEAKER,
                    key="works_at",
                    value=mention(phrase.words, "organisation"),
                    start=reading.start,
                    end=reading.end,
                    category="identity",
                    aspect=Aspect.EVENT,
                )

    def _switched(self, reading: Reading) -> Iterator[Claim]:
        """ "I switched from Acme to Globex": told of organisations only, or else it is a place."""
        for phrase in reading.phrases:
            if phrase.preposition in ("from", "to") and phrase.words[0].ent_type_ == "ORG" and is_name(phrase.words):
                if is_job_head(phrase.words):
                    continue
                yield Claim(
                    subject=subject_of(reading, "person"),
                    key="works_at",
                    value=mention(phrase.words, "organisation"),
                    start=reading.start,
                    end=reading.end,
                    category="identity",
                    aspect=Aspect.END if phrase.preposition == "from" else Aspect.EVENT,
                    confidence=0.75,
                )


def _employer(reading: Reading, phrase: Phrase, *, confidence: float, subject: Mention | None = None) -> Claim:
    return Claim(
        subject=subject or subject_of(reading, "person"),
        key="works_at",
        value=mention(phrase.words, "organisation"),
        start=reading.start,
        end=max(reading.end, phrase.end),
        category="identity",
        confidence=confidence,
    )


def _articled(phrase: Phrase) -> bool:
    first = phrase.words[0]
    return first.i > 0 and first.nbor(-1).tag_ == "DT"


def _is_own_name(phrase: Phrase) -> bool:
    return is_name(phrase.words) and not is_job_head(phrase.words) and not _articled(phrase)


def _leaves_employer(reading: Reading) -> bool:
    """ "I left Acme" against "I left Berlin" and "I left Bob a note"."""
    direct = reading.direct()
    if not direct:
        return False
    words = direct[0].words
    if words[0].ent_type_ in ("GPE", "LOC", "FAC", "DATE", "TIME") or words[0].lower_ in HABIT_BY_VERB.values():
        return False
    if words[-1].lower_ in _JOB_NOUNS:
        return True
    return is_name(words) or is_lowercase_name(words)


def _joins_team(reading: Reading) -> bool:
    """ "Nina joined the Atlas team": a project rather than an employer."""
    direct = reading.direct()
    return bool(direct) and direct[0].words[-1].lower_ in ("team", "project") and len(direct[0].words) > 1


def _studies_a_field(reading: Reading) -> bool:
    """ "I studied physics at MIT", not "I studied the map" nor "I studied for hours"."""
    direct = reading.direct()
    if reading.lemma == "major":
        return True
    if not direct or reading.clause.head.i + 1 != direct[0].words[0].i or reading.standing.progressive:
        return False
    return direct[0].head.tag_ in ("NN", "NNP", "NNS") and direct[0].words[0].tag_ != "PRP$"


def _with_employer(reading: Reading, claim: Claim) -> Iterator[Claim]:
    """ "I was appointed CFO of Larkspur": the title, and whose."""
    if claim.key != "job_title" or reading.lemma not in ("appoint", "name", "elect", "become", "make"):
        yield claim
        return
    for phrase in reading.direct()[:1]:
        title, headed = without_headed(phrase.words)
        yield replace(claim, value=value_of(title))
        if headed:
            yield replace(_employer(reading, Phrase(headed), confidence=0.85), aspect=claim.aspect)
