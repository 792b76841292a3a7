"""Which models a context uses, whether they answer, and whether they may be asked."""

from api.chat.extractive import MODEL as EXTRACTIVE
from api.settings.model_settings import ModelChoice
from api.shapes.wire import Json
from api.wiring import Services


def model_states(services: Services, context_id: str) -> Json:
    """failing: why a model gave no answer when this process last asked it. hold: why none is asked now."""
    settings = services.models.settings(context_id)
    failing = services.models.failing_in(context_id) | services.embedders.failing(settings.embedding_choice)
    names = {
        "extraction": _name(settings.extraction) or services.extractor.name,
        "response": _name(settings.response) or EXTRACTIVE,
        "embedding": services.embedders.of(context_id).model,
    }
    hold = services.models.hold(context_id)
    return {
        "models": {purpose: {"model": name, "failing": failing.get(name)} for purpose, name in names.items()},
        "hold": hold.kind if hold else None,
    }


def _name(choice: ModelChoice | None) -> str | None:
    return choice.name if choice is not None and choice.usable else None
