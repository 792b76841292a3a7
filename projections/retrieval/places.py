"""Areas on the globe, and what memory knows of places in them."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from memory.errors import InvalidRequest
from projections.reading import Reader

EARTH_RADIUS_KM = 6371.0
CORNERS_MAX = 1_000

# A place has its coordinates as one value, "52.52, 13.40", or as two.
COORDINATES = """
SELECT v.entity_id, v.key, v.value FROM {attribute_versions} AS v
WHERE v.key IN ('coordinates', 'latitude', 'longitude', 'lat', 'lng', 'lon') AND {in_force:v}
"""

# What is about a place: itself, under its name in all visible scopes, what is related to it, and where it was named.
ABOUT = """
SELECT n.id FROM {entities} AS e JOIN {entities} AS n ON n.type = e.type AND n.name_key = e.name_key
WHERE e.id = ANY(%(entity_ids)s)
UNION
SELECT r.subject_id FROM {relations} AS r WHERE r.object_id = ANY(%(entity_ids)s) AND {in_force:r}
"""

TURNS = "SELECT DISTINCT p.turn_id FROM {provenance} AS p WHERE p.subject_id = ANY(%(entity_ids)s)"

_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_POLYGON = re.compile(rf"\s*POLYGON\s*\(\s*\(\s*((?:{_NUMBER}\s+{_NUMBER}\s*,?\s*)+)\)\s*\)\s*", re.IGNORECASE)
_PAIR = re.compile(rf"\(?\s*({_NUMBER})\s*[,;\s]\s*({_NUMBER})\s*\)?")

Point = tuple[float, float]  # latitude, longitude in degrees


@dataclass(frozen=True, slots=True)
class Circle:
    """All within `radius_km` of `centre`, on the great circle."""

    centre: Point
    radius_km: float

    def holds(self, point: Point) -> bool:
        (lat_a, lng_a), (lat_b, lng_b) = (tuple(map(math.radians, one)) for one in (self.centre, point))
        haversine = (
            math.sin((lat_b - lat_a) / 2) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin((lng_b - lng_a) / 2) ** 2
        )
        return 2 * EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(haversine))) <= self.radius_km


@dataclass(frozen=True, slots=True)
class Polygon:
    """All inside the ring of `corners`, on the plane of degrees."""

    corners: tuple[Point, ...]

    def holds(self, point: Point) -> bool:
        lat, lng = point
        inside = False
        for (lat_a, lng_a), (lat_b, lng_b) in zip(self.corners, self.corners[1:] + self.corners[:1], strict=True):
            if (lat_a > lat) != (lat_b > lat) and lng < (lng_b - lng_a) * (lat - lat_a) / (lat_b - lat_a) + lng_a:
                inside = not inside
        return inside


Area = Circle | Polygon


def polygon(wkt: str) -> Polygon:
    """A well-known text POLYGON((lng lat, …)) without holes. Raises InvalidRequest for anything else."""
    found = _POLYGON.fullmatch(wkt)
    numbers = [float(number) for number in re.findall(_NUMBER, found[1])] if found else []
    corners = tuple(zip(numbers[1::2], numbers[::2], strict=True))
    if not 3 <= len(corners) <= CORNERS_MAX:
        raise InvalidRequest("location.within: must be a POLYGON((lng lat, lng lat, …)) without holes")
    return Polygon(corners)


@dataclass(frozen=True, slots=True)
class Located:
    """What is about places in an area: entities, and the turns that name them."""

    entity_ids: frozenset[UUID]
    turn_ids: frozenset[UUID]


def located(reader: Reader, area: Area) -> Located:
    """What the caller may see of places whose coordinates lie in the area."""
    places = [entity_id for entity_id, point in _points(reader) if area.holds(point)]
    entity_ids = frozenset(entity_id for (entity_id,) in reader.tuples(ABOUT, {"entity_ids": places}))
    turns = reader.tuples(TURNS, {"entity_ids": list(entity_ids)})
    return Located(entity_ids, frozenset(turn_id for (turn_id,) in turns))


def _points(reader: Reader) -> Iterator[tuple[UUID, Point]]:
    parts: dict[UUID, dict[str, float]] = {}
    for entity_id, key, value in reader.tuples(COORDINATES, {}):
        if key == "coordinates":
            if pair := _PAIR.fullmatch(value.strip()):
                yield entity_id, (float(pair[1]), float(pair[2]))
        elif re.fullmatch(_NUMBER, value.strip()):
            parts.setdefault(entity_id, {})["lat" if key.startswith("lat") else "lng"] = float(value)
    for entity_id, found in parts.items():
        if len(found) == 2:
            yield entity_id, (found["lat"], found["lng"])
