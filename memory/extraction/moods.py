"""What a sentence does: state, ask or order. Only statements can say facts.

A sentence may do two of them ("I'm vegan, what can I eat?"), so a question has a place to begin.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from spacy.tokens import Span, Token

from memory.extraction.clauses import Clause
from memory.extraction.lexicon import listed


class Mood(StrEnum):
    """What the words do: only statements can say facts."""

    STATEMENT = "statement"
    QUESTION = "question"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class SentenceMood:
    """asks_from: offset in the document from which the sentence is a question, or None."""

    asks_from: int | None
    command: bool


_QUESTION_WORDS = listed("who whom whose what which when where why how")
_ASKING = re.compile(
    r"\b(?:tell me (?:who|what|where|when|why|how|if|whether|about)|do you know|any idea|i(?:'m| am| was)? ?"
    r"(?:wondering|wonder|curious)|i(?:'d| would) (?:like|love) to know|let me know|does anyone|"
    r"i (?:want|need) to know|remind me (?:who|what|where|when|why|how|if|whether))\b",
    re.IGNORECASE,
)
_TAG_QUESTION = re.compile(
    r",\s*(?:right|correct|yes|no|(?:is|are|was|do|does|did|have|has|am)(?:n't)? ?(?:i|it|he|she|"
    r"they|we|you)(?: not)?)\s*\?\s*$",
    re.IGNORECASE,
)
# Orders that only draw attention to what is stated next ("scratch that, I live in Munich").
INTERJECTIONS = listed("scratch strike look listen wait see thank hold sorry misspeak misspoke correct fyi")
# Orders to keep what is stated next ("remember that I'm vegan").
_FACTIVE_COMMANDS = listed("remember note know remind forget keep")


# "Oh sure, because meetings are my favourite thing": meant the other way round.
_IRONY = re.compile(
    r"^\W*(?:(?:oh|ah|well|yeah|yes),?\s+)?(?:sure|great|right|yeah|yes|wonderful|brilliant|fantastic|lovely|perfect|"
    r"awesome|nice|joy|good),?\s+because\b|^\W*(?:oh|yeah),? (?:joy|how (?:lovely|nice|wonderful|fun)|right)\b|"
    r"\b(?:just what i (?:needed|wanted)|said no one|said nobody|not\s*!+\s*$)",
    re.IGNORECASE,
)


def is_ironic(sentence: Span) -> bool:
    """Whether a sentence shows that it is not meant as said."""
    return _IRONY.search(sentence.text) is not None


def mood_of_sentence(sentence: Span) -> SentenceMood:
    """Worked out once for all clauses of `sentence`."""
    return SentenceMood(question_onset(sentence), is_command(sentence))


def mood_of(clause: Clause, sentence_mood: SentenceMood) -> Mood:
    """What `clause` does within its sentence."""
    if sentence_mood.asks_from is not None and clause.head.idx >= sentence_mood.asks_from:
        return Mood.QUESTION
    if sentence_mood.command:
        root = clause.sentence.root
        if clause.top.i == root.i and is_order_to_forget(root):
            return Mood.STATEMENT  # it says what no longer holds
        if clause.top.i == root.i or root.lemma_.lower() not in _FACTIVE_COMMANDS:
            interjected = root.lemma_.lower() in INTERJECTIONS and clause.top.i != root.i
            # "I'm vegan, suggest a recipe": a complement for the model, a sentence of its own by the comma.
            told_before = clause.top.i < root.i and any(
                word.text in (",", ";") for word in clause.sentence if clause.head.i < word.i < root.i
            )
            joined = clause.top.dep_ in ("conj", "parataxis", "advcl") or told_before
            if not (clause.owns_subject and (interjected or joined)):
                return Mood.COMMAND
    return Mood.STATEMENT


def question_onset(sentence: Span) -> int | None:
    """Offset in the document from which `sentence` asks; statements may precede it. None: it doesn't."""
    text = sentence.text
    asking = _ASKING.search(text)
    marked = text.rstrip(" \n\"')").endswith("?")
    if asking is not None:
        return int(sentence.start_char) + (asking.start() if re.search(r"[,;:]|\band\b", text[: asking.start()]) else 0)
    onset = _inversion(sentence)
    if marked and _TAG_QUESTION.search(text):
        return int(sentence.start_char)
    if onset is not None and (marked or onset.i == first_word(sentence).i):
        return int(onset.idx)
    return int(sentence.start_char) if marked else None


def is_order_to_forget(verb: Token) -> bool:
    """ "Forget that I live in Rome", "please forget about my hamster"; not "don't forget ..."."""
    return (
        verb.lemma_.lower() == "forget"
        and verb.tag_ in ("VB", "VBP")
        and not any(child.dep_ in ("neg", "nsubj", "aux", "mark") for child in verb.children)
        and not any(word.lower_ in ("never", "not", "n't", "dont") for word in verb.sent if word.i < verb.i)
    )


def is_command(sentence: Span) -> bool:
    """Whether `sentence` is an order to whoever listens ("Book me a table")."""
    root = sentence.root
    if root.tag_ not in ("VB", "VBP") or any(child.dep_ in ("nsubj", "nsubjpass", "expl") for child in root.children):
        return False
    words = [word for word in sentence if word.i < root.i and not word.is_punct and not word.is_space]
    return all(word.lower_ in _BEFORE_COMMANDS or word.dep_ in ("neg", "intj", "advmod") for word in words)


_BEFORE_COMMANDS = listed("please do don't not never always just also and then so ok okay kindly now can you hey hi")


def first_word(sentence: Span) -> Token:
    for word in sentence:
        if not (
            word.is_punct or word.is_space or word.lower_ in ("so", "and", "but", "ok", "okay", "hey", "hi", "well")
        ):
            return word
    return sentence[0]


def _inversion(sentence: Span) -> Token | None:
    """First word that opens a question: at the start, or after a comma or conjunction."""
    for word in sentence:
        opens = word.i == first_word(sentence).i or (
            word.i > sentence.start
            and word.nbor(-1).lower_ in (",", ";", "-", "–", "—", "and", "so", "but", ".", "\n", ":")
        )
        if not opens or word.i + 1 >= sentence.end:
            continue
        follower = word.nbor(1)
        if word.lower_ in _QUESTION_WORDS and word.dep_ != "mark":
            if word.tag_ in ("WP", "WDT", "WP$") and word.i != first_word(sentence).i and _in_relative_clause(word):
                continue
            if word.lower_ == "what" and follower.lower_ in ("i", "we") and word.i == first_word(sentence).i:
                continue  # "What I like is chess": a statement, unless it is marked
            if word.lower_ == "what" and word.head.dep_ == "csubj" and word.i == first_word(sentence).i:
                continue  # "What bores me is chess"
            if word.lower_ == "when" and follower.lower_ in ("i", "we", "he", "she", "they", "my"):
                continue  # "When I moved": a time
            return word
        if word.tag_ in ("MD", "VBZ", "VBP", "VBD") and (word.pos_ == "AUX" or word.lemma_ in ("do", "be", "have")):
            rest = follower if follower.lower_ not in ("n't", "not") or word.i + 2 >= sentence.end else word.nbor(2)
            if rest.tag_ in ("PRP", "DT", "NNP", "EX", "PRP$", "NN", "NNS") and rest.lower_ != "no":
                if rest.lower_ in ("me", "a", "an"):
                    continue
                return word
    return None


def _in_relative_clause(word: Token) -> bool:
    return any(ancestor.dep_ == "relcl" for ancestor in word.ancestors)
