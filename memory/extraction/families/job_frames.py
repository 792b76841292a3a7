"""Verb patterns of jobs and employers."""

from functools import partial

from memory.extraction.claims import Aspect
from memory.extraction.families.frames import Frame
from memory.extraction.lexicon import listed

# What the frames of one slot have in common.
_employer = partial(Frame, key="works_at", category="identity", object_type="organisation")
_title = partial(Frame, key="job_title", category="identity")
_studies = partial(Frame, key="field_of_study", category="identity")

JOB_FRAMES = (
    _employer(verbs=listed("work"), prepositions=("at", "for"), aspect=Aspect.STATE),
    _title(verbs=listed("work"), prepositions=("as",), aspect=Aspect.STATE),
    Frame(
        verbs=listed("study"),
        prepositions=("at",),
        key="studies_at",
        category="identity",
        object_type="organisation",
        aspect=Aspect.STATE,
    ),
    _studies(verbs=listed("study"), prepositions=("",), aspect=Aspect.PAST, confidence=0.85),
    _studies(verbs=listed("major"), prepositions=("in",), aspect=Aspect.PAST),
    _title(verbs=listed("take step"), particle="over", prepositions=("as",), aspect=Aspect.EVENT),
    _employer(verbs=listed("join"), prepositions=("",), aspect=Aspect.EVENT),
    _title(verbs=listed("join"), prepositions=("as",), aspect=Aspect.EVENT),
    _employer(verbs=listed("start begin"), prepositions=("at", "with"), aspect=Aspect.EVENT, confidence=0.85),
    _title(verbs=listed("start begin"), prepositions=("as",), aspect=Aspect.EVENT),
    _title(verbs=listed("promote"), prepositions=("to",), aspect=Aspect.EVENT, passive=True),
    _title(
        verbs=listed("appoint name elect make"), prepositions=("",), aspect=Aspect.EVENT, passive=True, confidence=0.9
    ),
    _employer(verbs=listed("freelance"), prepositions=("for",), aspect=Aspect.STATE, confidence=0.8),
    _title(verbs=listed("hire employ appoint"), prepositions=("as",), aspect=Aspect.EVENT, passive=True),
    _employer(verbs=listed("hire employ appoint"), prepositions=("by", "at"), aspect=Aspect.EVENT, passive=True),
    _title(verbs=listed("become"), prepositions=("",), aspect=Aspect.EVENT, confidence=0.9),
    _employer(
        verbs=listed("teach lead manage head run handle practise practice serve intern consult research"),
        prepositions=("at",),
        aspect=Aspect.STATE,
        confidence=0.8,
    ),
    Frame(
        verbs=listed("graduate"),
        prepositions=("from",),
        key="graduated_from",
        category="identity",
        object_type="organisation",
        aspect=Aspect.PAST,
    ),
    _employer(verbs=listed("leave quit"), prepositions=("",), aspect=Aspect.END, confidence=0.9),
    _employer(verbs=listed("resign retire depart"), prepositions=("from",), aspect=Aspect.END),
    _employer(verbs=listed("quit leave"), prepositions=("at",), aspect=Aspect.END),
    _employer(verbs=listed("fire"), prepositions=("from", "by"), aspect=Aspect.END, passive=True),
    _employer(verbs=listed("lay"), prepositions=("from", "by", "at"), aspect=Aspect.END, passive=True),
)
