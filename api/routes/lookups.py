"""POST /lookup: what is known of the entity that a query means, by names and words alone, without a model."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from api.http.calls import Call
from api.shapes import answers, details, hits, wire
from api.shapes.instants import Asked
from api.shapes.question_schemas import LookupBody
from api.shapes.refs import entity_name
from memory.values import entity_type
from projections import actions, attribute_versions, entities, matches, relations, scope_sets, uncertainties
from projections.actions import Wanted as WantedActions
from projections.matches import Match
from projections.reading import Page, Reader
from projections.recall.question import parsed
from projections.recall.search import Mode, search
from projections.retrieval import subjects
from projections.retrieval.wanted import K_MAX, Recalled, Wanted

AMBIGUITY_MARGIN = 0.15
SURE = 0.5  # likeness of names from which a match is one
COMPARED = 10
LIMIT, LIMIT_MAX = 20, 500
PASSAGES_LIMIT = 5
FACTS_READ = 500  # of which the most important are shown

Json = dict[str, Any]


def lookup(call: Call) -> tuple[int, Json]:
    body, asked = call.parsed(LookupBody), call.asked()
    wants_passages = "passages" in (body.include or ())
    passages = _passages(call, asked, body) if wants_passages else []
    with call.reading(asked) as reader:
        found = _matches(reader, body)
        resolution, subject = _resolution(reader, body, found, wants_passages, passages)
        clauses = scope_sets.clauses(reader)
        about = [row.id for row in entities.named(reader, subject.type, subject.name_key)] if subject else []
        facts = _facts(reader, about, body.fact_limit)
        edges = _some(relations.live_of_entities(reader, about, limit=_limit(body.relation_limit)), body.relation_limit)
        deeds = _deeds(reader, about, body.event_limit)
        doubts = uncertainties.newest_first(
            reader, entity_ids=about, resolved=False, limit=_limit(body.uncertainty_limit)
        )
        doubts = _some(doubts, body.uncertainty_limit)
        owners = entities.by_ids(reader, [row.actor_id for row in deeds.rows])
        owners |= entities.by_ids(reader, [row.entity_id for row in doubts.rows if row.entity_id])
        return 200, {
            "resolution": resolution,
            "facts": facts,
            "relations": _section(answers.relation_list(reader, edges.rows), edges),
            "events": _section([wire.action(row, owners[row.actor_id]) for row in deeds.rows], deeds),
            "passages": {
                "items": [hits.passage(one) for one in passages[: _passage_limit(body)]],
                "truncated": len(passages) > _passage_limit(body),
            },
            "entities": {
                "items": [details.match(one, score, reader.now) for one, score in found],
                "truncated": len(found) == COMPARED,
            },
            "uncertainty": _section(
                [
                    details.uncertainty(row, owners.get(row.entity_id) if row.entity_id else None, clauses)
                    for row in doubts.rows
                ],
                doubts,
            ),
        }


def _matches(reader: Reader, body: LookupBody) -> list[tuple[Match, float]]:
    """Entities that the query names outright, else those whose names are like it, best first."""
    kind = entity_type(body.entity_type) if body.entity_type else None
    text = body.subject or body.query
    if body.subject and "/" in body.subject:
        named = [entity_name(body.subject, field="subject")]
    else:
        named = [one.name for one in subjects.named(reader, text, parsed(text).names) if kind in (None, one.name[0])]
    exact = [(match, 1.0) for match in matches.of_names(reader, named).values()]
    known = {(match.entity.type, match.entity.name_key) for match, _ in exact}
    like = matches.like(reader, text, entity_type=kind, limit=COMPARED)
    return [*exact, *((one, score) for one, score in like if (one.entity.type, one.entity.name_key) not in known)][
        :COMPARED
    ]


def _resolution(
    reader: Reader,
    body: LookupBody,
    found: list[tuple[Match, float]],
    searched: bool,
    passages: Sequence[Recalled],
) -> tuple[Json, entities.EntityRow | None]:
    """ResolutionJson, and the entity if it is one."""
    margin = AMBIGUITY_MARGIN if body.ambiguity_margin is None else body.ambiguity_margin
    scores = [score for _, score in found]
    if scores and scores[0] >= SURE:
        rivals = [one for one in found if scores[0] - one[1] < margin]
        if len(rivals) == 1:
            match = found[0][0]
            subject = details.match(match, scores[0], reader.now)
            return {"kind": "entity", "confidence": scores[0], "subject": subject}, match.entity
        return {"kind": "ambiguous", "candidates": [details.match(*one, reader.now) for one in rivals]}, None
    if passages if searched else search(reader, parsed(body.query), mode=Mode.BM25, limit=1).hits:
        return {"kind": "topic"}, None
    return {"kind": "empty", "nearest": [details.match(*one, reader.now) for one in found]}, None


def _facts(reader: Reader, about: Sequence[Any], limit: int | None) -> Json:
    """Live facts, the most important first."""
    rows = attribute_versions.live_of_entities(reader, about, limit=FACTS_READ)
    shown = answers.attribute_list(reader, rows.rows)
    shown.sort(key=lambda row: (-row["importance"], row["key"], row["id"]))
    most = _limit(limit) if limit != 0 else 0
    return {"items": shown[:most], "truncated": rows.has_more or len(shown) > most}


def _deeds(reader: Reader, about: Sequence[Any], limit: int | None) -> Page[actions.ActionRow]:
    return _some(actions.newest_first(reader, WantedActions(actor_ids=about), limit=_limit(limit)), limit)


def _passages(call: Call, asked: Asked, body: LookupBody) -> list[Recalled]:
    wanted = Wanted(
        text=body.query,
        k=min(_passage_limit(body) + 1, K_MAX),
        mode=Mode.BM25,
        facts=False,
        source="lookup",
    )
    return list(call.services.recall.retrieve(call.context_id, partial(call.reading_as, asked), wanted).hits)


def _passage_limit(body: LookupBody) -> int:
    return min(PASSAGES_LIMIT if body.passage_limit is None else body.passage_limit, K_MAX - 1)


def _limit(limit: int | None) -> int:
    return max(1, min(LIMIT if limit is None else limit, LIMIT_MAX))


def _some(page: Page[Any], limit: int | None) -> Page[Any]:
    return replace(page, rows=[], has_more=bool(page.rows)) if limit == 0 else page


def _section(items: list[Json], page: Page[Any]) -> Json:
    return {"items": items, "truncated": page.has_more}
