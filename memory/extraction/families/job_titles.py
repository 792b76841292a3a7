"""Which phrases are titles of jobs."""

from collections.abc import Sequence

from spacy.tokens import Token

from memory.extraction.lexicon import JOB_HEADS, RELATIVE_NO_MORE, listed
from memory.extraction.phrases import Phrase, is_name

_OF_ORGANISATIONS = listed("ceo cto cfo coo cio ciso cmo founder cofounder owner president chairman chairwoman")
_JOB_ENDINGS = ("ographer", "ologist", "ician", "wright", "smith", "keeper", "monger", "maker", "worker")


def title_words(phrase: Phrase) -> tuple[Token, ...]:
    words = phrase.words
    # "a 34-year-old nurse": the age is no part of the title.
    while words and words[0].like_num:
        cut = next((position for position, word in enumerate(words) if word.lower_ in ("old", "year-old")), None)
        if cut is None:
            return ()
        words = words[cut + 1 :]
    return words


def is_job_head(words: Sequence[Token]) -> bool:
    head = Phrase(tuple(words)).head
    return (
        head.lower_ in JOB_HEADS
        or head.lower_.endswith(_JOB_ENDINGS)
        or head.lemma_.lower() in JOB_HEADS
        or ("of" in [word.lower_ for word in words] and words[0].lower_ in JOB_HEADS)
    )


def without_headed(title: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """ "CTO of Acme" as (title, organisation): such heads are of an organisation, "Head of Platform" is not."""
    if len(title) > 2 and title[0].lower_ in _OF_ORGANISATIONS and title[1].lower_ == "of" and is_name(title[2:]):
        return title[:1], title[2:]
    return title, ()


def has_job_head(phrases: Sequence[Phrase]) -> bool:
    return bool(phrases) and is_job_head(phrases[0].words)


_NO_TITLES = listed("of part well usual my your much expected such")
_NOT_NOW = RELATIVE_NO_MORE | listed("aspiring wannabe budding onetime")


def could_be_title(value: str) -> bool:
    """Whether `value` is short enough and no turn of speech ("as usual", "as part of"), nor a title of another time."""
    words = value.lower().replace("-", " ").split()
    return 0 < len(words) <= 8 and words[0] not in _NO_TITLES and not set(words) & _NOT_NOW
