"""Documents put into a world and read there, and a stand-in for the language model that finds their facts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from api import ids
from api.work.document_reading import read_document
from memory.candidates import Extraction
from memory.documents.library import NewFile, Uploaded
from memory.extraction import Utterance
from memory.principals import Caller
from memory.scopes import ScopeSet
from memory.usage import Usage
from projections import documents
from projections.documents import DocumentRow
from tests.worlds import World, fact


class FactLines:
    """Stands for a context's language model: it finds the facts in lines such as `Lamp colour: green`."""

    name = model = "test/lines"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def extract(self, text: str, *, role: str, said_at: Any, earlier: Any = ()) -> Extraction:
        raise NotImplementedError

    def extract_all(self, utterances: Sequence[Utterance], *, earlier: Any, offered: Any) -> list[Extraction]:
        self.asked += [one.text for one in utterances]
        return [
            Extraction(
                extractor="test/1",
                candidates=tuple(
                    fact(found[1], found[2], found[3], kind="thing", start=found.start())
                    for found in re.finditer(r"(\w+) (\w+): (.+?)\.?(?:\n|$)", one.text)
                ),
                model=self.model,
                usage=Usage(calls=1),
            )
            for one in utterances
        ]


def uploaded(
    world: World, text: str, *, name: str = "a.md", caller: Caller | None = None, scopes: ScopeSet | None = None
) -> Uploaded:
    library = world.services.library
    data = text.encode()
    file = NewFile(name, name, "text/markdown", library.keep_bytes(world.context_id, data), len(data))
    return library.upload(caller or seeing(world), file, scopes, ids.new_id())


def seeing(world: World) -> Caller:
    """The world's caller with all that exists by now."""
    return replace(world.caller, visible=world.scope_sets())


def replaced(world: World, document_id: UUID, text: str) -> None:
    library = world.services.library
    data = text.encode()
    file = NewFile("a.md", "a.md", "text/markdown", library.keep_bytes(world.context_id, data), len(data))
    library.replace(seeing(world), document_id, file)


def read(world: World, document_id: UUID, *, slice_s: float = 60.0) -> DocumentRow:
    read_document(world.services, world.context_id, document_id, slice_s=slice_s)
    with world.reading() as reader:
        row = documents.one(reader, document_id)
    assert row is not None
    return row
