"""Verb patterns of how named people and things relate."""

from functools import partial

from memory.extraction.claims import Aspect
from memory.extraction.families.frames import Frame
from memory.extraction.lexicon import listed

_person = partial(Frame, category="knowledge", object_type="person")
_project = partial(Frame, category="knowledge", object_type="project")
_organisation = partial(Frame, category="knowledge", object_type="organisation")

RELATION_FRAMES = (
    _person(verbs=listed("manage supervise"), prepositions=("",), key="manages", aspect=Aspect.STATE, confidence=0.85),
    _project(verbs=listed("lead head"), prepositions=("",), key="leads", aspect=Aspect.STATE, confidence=0.85),
    _organisation(verbs=listed("found cofound"), prepositions=("",), key="founded", aspect=Aspect.PAST, confidence=0.9),
    _project(verbs=listed("create invent"), prepositions=("",), key="created", aspect=Aspect.PAST, confidence=0.8),
    _project(verbs=listed("maintain"), prepositions=("",), key="maintains", aspect=Aspect.STATE, confidence=0.9),
    _person(verbs=listed("report"), prepositions=("to",), key="reports_to", aspect=Aspect.STATE, confidence=0.9),
    _project(verbs=listed("work"), prepositions=("on",), key="works_on", aspect=Aspect.STATE, confidence=0.9),
    _person(
        verbs=listed("work collaborate"), prepositions=("with",), key="works_with", aspect=Aspect.STATE, confidence=0.8
    ),
    Frame(
        verbs=listed("marry"),
        prepositions=("",),
        key="married_to",
        category="identity",
        object_type="person",
        aspect=Aspect.EVENT,
        confidence=0.9,
    ),
    _organisation(
        verbs=listed("acquire"),
        prepositions=("",),
        key="acquired",
        aspect=Aspect.PAST,
        confidence=0.75,
        subject_type="organisation",
    ),
)
