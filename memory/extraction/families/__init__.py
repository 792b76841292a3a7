"""Rule families: each reads one kind of fact from a clause.

A family states what the words would mean if affirmed; `claims.judge` decides what becomes of it.
"""

from collections.abc import Iterator
from typing import Protocol

from memory.extraction.claims import Claim
from memory.extraction.families.age import Age
from memory.extraction.families.clefts import Clefts
from memory.extraction.families.counts import Counts
from memory.extraction.families.descriptions import Descriptions
from memory.extraction.families.diet import Diet
from memory.extraction.families.endings import Endings
from memory.extraction.families.habits import Habits
from memory.extraction.families.kinship import Kinship
from memory.extraction.families.memberships import Memberships
from memory.extraction.families.phrasebook import Phrasebook
from memory.extraction.families.places import Places
from memory.extraction.families.policies import Policies
from memory.extraction.families.possessions import Possessions
from memory.extraction.families.predicates import Predicates
from memory.extraction.families.preferences import Preferences
from memory.extraction.families.properties import Properties
from memory.extraction.families.systems import Systems
from memory.extraction.families.things import Things
from memory.extraction.families.traits import Traits
from memory.extraction.families.work import Work
from memory.extraction.turns import Reading


class Family(Protocol):
    """A set of rules for one kind of fact. Holds no state: one instance serves all threads."""

    def read(self, reading: Reading) -> Iterator[Claim]: ...


FAMILIES: tuple[Family, ...] = (
    Work(),
    Places(),
    Kinship(),
    Counts(),
    Memberships(),
    Age(),
    Diet(),
    Preferences(),
    Descriptions(),
    Things(),
    Systems(),
    Habits(),
    Possessions(),
    Traits(),
    Properties(),
    Policies(),
    Endings(),
    Clefts(),
    Phrasebook(),
)
# Asked where none of these has anything to say.
OTHERWISE: tuple[Family, ...] = (Predicates(),)
