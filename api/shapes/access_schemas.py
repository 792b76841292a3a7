"""Request bodies of contexts, principals, keys, scopes and grants."""

from typing import Annotated, Literal

from pydantic import Field

from api.shapes.fields import (
    NOTE_LENGTH_MAX,
    Body,
    Config,
    GivenGrants,
    KeyName,
    Name,
    ScopePath,
    ScopePattern,
    Scopes,
    Text,
    Verb,
)
from memory.texts import NAME_LENGTH_MAX


class ScopeBody(Body):
    path: ScopePath
    display_name: Annotated[Text, Field(max_length=NAME_LENGTH_MAX)] | None = None
    description: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None


class GrantBody(Body):
    path: ScopePattern
    verbs: Annotated[list[Verb], Field(min_length=1)]


class WriteScopesBody(Body):
    scopes: Scopes


class PrincipalBody(Body):
    display_name: Name
    external_id: Name | None = None
    kind: Literal["human", "agent", "service", "unknown"] = "unknown"
    grants: GivenGrants = Field(default_factory=dict)


class KeyBody(Body):
    name: KeyName | None = None
    grants: GivenGrants | None = None


class GrantsBody(Body):
    grants: GivenGrants | None = None


class PrincipalChangesBody(Body):
    grants: GivenGrants | None = None
    write_scopes: Scopes = None


class AccessTokenBody(Body):
    external_id: Name
    display_name: Name | None = None
    ttl_seconds: Annotated[int, Field(strict=True, ge=1, le=10 * 365 * 24 * 3600)]
    grants: GivenGrants | None = None


class NewContextBody(Body):
    namespace: Name | None = None
    database: Name | None = None
    description: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None
    admin_external_id: Name | None = None
    admin_display_name: Name | None = None
    config: Config = Field(default_factory=dict)


class ContextChangesBody(Body):
    config: Config = Field(default_factory=dict)
    description: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None
    enforcement_blocked: Annotated[bool, Field(strict=True)] = False
