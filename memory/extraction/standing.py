"""What a clause commits its speaker to, decided over the whole clause before any fact is read.

The order matters: questions and commands assert nothing; a hedge or condition makes a fact
uncertain; a negation turns or ends it. Cues that the parse may have misplaced are looked for in
the words too, and then make the clause unclear rather than affirmed.
"""

import re
from dataclasses import dataclass

from spacy.tokens import Token

from memory.candidates import Polarity
from memory.extraction.clauses import Clause
from memory.extraction.lexicon import (
    CONDITIONAL_MARKS,
    DECLINING_VERBS,
    ENDING_VERBS,
    FACTIVE_VERBS,
    FUTURE_MARKS,
    HEDGING_ADVERBS,
    HEDGING_VERBS,
    INTENTION_VERBS,
    MODALS,
    NEGATIONS,
    SEEMING_VERBS,
)
from memory.extraction.moods import INTERJECTIONS, Mood, SentenceMood, first_word, is_order_to_forget, mood_of
from memory.extraction.stated_time import Tense


@dataclass(frozen=True, slots=True)
class Standing:
    """reason: why the clause can't be asserted ("hedged", "planned"...), "" if it can.

    inceptive: the verb tells of a beginning ("started working").
    """

    mood: Mood
    polarity: Polarity
    reason: str
    tense: Tense
    perfect: bool
    progressive: bool
    inceptive: bool = False


# Pasts that the model takes for presents.
_PAST_FORM = re.compile(
    r"(?:wrote|drove|rode|spoke|broke|chose|stole|woke|ought|aught|sold|told|built|spent|left|kept|slept|felt|held|"
    r"made|"
    r"paid|took|gave|came|went|knew|grew|flew|drew|threw|wore|tore|swore|began|sang|drank|swam|sat|won|found|stood)$"
)
_UNSURE = re.compile(
    r"\b(?:not (?:really |quite |entirely |too )?(?:sure|certain)|unsure|no idea|can't remember|"
    r"(?:it's|it is|it's quite|it is quite) possible that|(?:there's|there is) an? (?:\w+ )?chance|chances are|i have "
    r"a feeling|"
    r"or so (?:i'm told|i hear|i(?:'ve| have) heard|they say|i think)|(?:could|may|might) be wrong|(?:not|never|yet "
    r"to be|to be) "
    r"confirmed|(?:results?|tests?)(?: \w+)? (?:isn't|aren't|is not|are not|not) back|(?:waiting|wait) (?:for|on) "
    r"(?:the |my |his |her )?"
    r"(?:\w+ )?(?:results?|tests?)|don't (?:know|remember)|if i (?:remember|recall) correctly|iirc|afaik|as far as i "
    r"know)\b",
    re.IGNORECASE,
)
_IRREALIS = re.compile(
    r"\b(?:suppose|imagine|pretend|hypothetically|let's say|say i|as if|as though|wish|"
    r"just kidding|kidding|joking|jk|dreamt|dreamed|for example|e\.g|"
    r"in (?:a|my|the|his|her|our) (?:dream|novel|story|book|game|movie|film|play|show))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:(?:it's|it is|it isn't|that's|that is) not (?:like|as if|as though|that|because)|it isn't (?:like|as "
    r"if|that)|far from|"
    r"nowhere near|no way|no chance|impossible|(?:not|isn't|n't) true|untrue|false that|a lie|lying|anything but|"
    r"as if)\b",
    re.IGNORECASE,
)
_HEARSAY = re.compile(
    r"\b(?:according to (?!me\b)|rumou?r has it|word (?:is|has it)|(?:somebody|someone|they|people) (?:told me|"
    r"said|say|says|claims?)|"
    r"i(?:'ve| have)? (?:heard|been told|was told)|don't quote me|unconfirmed)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"\b(?:no longer|not any ?more|any ?more|any longer|no more)\b", re.IGNORECASE)


def standing_of(clause: Clause, sentence_mood: SentenceMood) -> Standing:
    """How far `clause` may be taken as said to be so."""
    tense, perfect, progressive = _tense(clause)
    inceptive = any(verb.lemma_.lower() in ("start", "begin") for verb in clause.controls)
    return Standing(
        mood_of(clause, sentence_mood), _polarity(clause), _reason(clause), tense, perfect, progressive, inceptive
    )


def _tense(clause: Clause) -> tuple[Tense, bool, bool]:
    helping = [child for verb in clause.chain for child in verb.children if child.dep_ in ("aux", "auxpass")]
    auxiliaries = [word for word in helping if word.tag_ != "TO"]
    finite = min([*auxiliaries, *clause.chain], key=lambda word: word.i)
    joined = clause.top.dep_ == "conj" or clause.is_errand
    shared = clause.governor if not clause.owns_subject and joined else None
    words = {word.lower_ for word in auxiliaries}
    lasting = any(word.lower_ == "always" for word in clause.own)  # "has always been": and is
    perfect = not lasting and any(word.lemma_ == "have" or word.lower_ in ("'ve", "ve") for word in auxiliaries)
    perfect = perfect and not (clause.lemma == "have" and clause.head.lower_ == "got")
    progressive = clause.head.tag_ == "VBG"
    if words & {"will", "'ll", "ll", "wo", "shall"} or any(verb.lower_ in ("going", "gon") for verb in clause.controls):
        return Tense.FUTURE, perfect, progressive
    told_past = finite.tag_ == "VBD" and finite.lower_ not in ("run", "come", "become")
    if told_past or finite.lower_ in ("had", "was", "were", "did", "used", "got", "quit"):
        return Tense.PAST, perfect, progressive
    if finite.tag_ == "VBP" and _PAST_FORM.search(finite.lower_):
        return Tense.PAST, perfect, progressive
    at_present = any(word.lower_ in ("now", "currently") for word in clause.own)
    if shared is not None and not at_present and clause.head.tag_ in ("VB", "VBN", "VBG") and not auxiliaries:
        return _tense(shared)[0], _tense(shared)[1], progressive
    if finite.tag_ == "VBN" and not perfect and clause.top.dep_ != "acl":
        return Tense.PAST, perfect, progressive  # "Promoted to CTO", or a past that the model took for a participle
    return Tense.PRESENT, perfect, progressive


def _negations(clause: Clause) -> list[Token]:
    """Words that negate the clause itself, idioms and contrasts ("Acme, not Globex") aside."""
    if clause.lemma in ("stand", "bear", "tolerate") and any(
        child.lower_ in ("ca", "can") for child in clause.head.children
    ):
        return []  # "can't stand" is a verb of its own
    found = []
    for word in clause.own:
        if word.lower_ not in NEGATIONS:
            continue
        following = word.nbor(1) if word.i + 1 < len(word.doc) else None
        opening = word.i == clause.sentence.start and following is not None and following.is_punct
        if word.lower_ == "no" and (word.dep_ == "intj" or opening):
            continue
        if (
            word.i > clause.head.i
            and word.i > 0
            and word.nbor(-1).lower_ in (",", "but", "and", "so", "-", "–", "—", "(")
        ):
            continue
        if word.i + 1 < len(word.doc) and word.nbor(1).lower_ in (
            "only",
            "just",
            "doubt",
            "problem",
            "worries",
            "matter",
        ):
            continue
        found.append(word)
    return found


def _polarity(clause: Clause) -> Polarity:
    own_words = " ".join(word.lower_ for word in clause.own)
    if is_order_to_forget(clause.top if clause.governor is None else clause.governor.top):
        return Polarity.ENDED
    if _ENDED.search(own_words) and _negations(clause):
        return Polarity.ENDED
    if any(verb.lemma_.lower() in ENDING_VERBS for verb in clause.controls):
        return Polarity.NEGATED if _negations(clause) else Polarity.ENDED
    if any(verb.lower_ == "used" for verb in clause.controls):
        return Polarity.NEGATED if _negations(clause) else Polarity.ENDED
    if _negations(clause):
        return Polarity.NEGATED
    if not clause.owns_subject and clause.top.dep_ == "conj" and clause.governor is not None:
        joined = {child.lower_ for child in clause.governor.top.children if child.dep_ == "cc"} | {
            child.lower_ for child in clause.governor.head.children if child.dep_ == "cc"
        }
        if not joined & {"but", "yet"}:
            return _polarity(clause.governor)
    return _polarity_of_words(clause)


def _polarity_of_words(clause: Clause) -> Polarity:
    """For negations that the parse has hung elsewhere: those between the subject and its verb."""
    if clause.subject is None or not clause.owns_subject or clause.lemma in ("stand", "bear", "tolerate"):
        return Polarity.AFFIRMED
    between = [word.lower_ for word in clause.sentence if clause.subject.right_edge.i < word.i < clause.head.i]
    if clause.subject.i < clause.head.i and not between:
        between = [word.lower_ for word in clause.sentence if clause.subject.i < word.i < clause.head.i]
    if not set(between) & NEGATIONS or {"only", "just"} & set(between):
        return Polarity.AFFIRMED
    return Polarity.ENDED if _ENDED.search(" ".join(between)) else Polarity.NEGATED


def _reason(clause: Clause) -> str:
    return (
        _reason_of_words(clause)
        or _reason_of_modals(clause)
        or _reason_of_controls(clause)
        or _reason_of_mark(clause)
        or _reason_of_governor(clause)
    )


def _reason_of_words(clause: Clause) -> str:
    text = clause.sentence.text
    if _IRREALIS.search(text):
        return "hypothetical"
    if _DENIED.search(text):
        return "unclear"
    if _UNSURE.search(text):
        return "hedged"
    if _HEARSAY.search(text):
        return "reported"
    if any(word.lower_ in HEDGING_ADVERBS and not _is_of_number(word) for word in clause.own):
        return "hedged"
    ended = _ENDED.search(" ".join(word.lower_ for word in clause.own))
    inner = any(word.i > clause.head.i and word.dep_ == "neg" for word in _negations(clause))
    if inner and clause.lemma != "be" and not ended:
        return "unclear"  # "I hate not being there": of the object, which the rules would read without it
    # The root's adverbs may stand before another clause: "Maybe Bob works at Acme".
    first = first_word(clause.sentence)
    return "hedged" if first.lower_ in HEDGING_ADVERBS else ""


def _is_of_number(word: Token) -> bool:
    """ "Nearly 4 years old": only the number is not exact."""
    return word.lower_ in ("nearly", "almost") and word.i + 1 < len(word.doc) and word.nbor(1).like_num


def _reason_of_modals(clause: Clause) -> str:
    for verb in clause.chain:
        for child in verb.children:
            if child.dep_ != "aux" and child.tag_ != "MD":
                continue
            if child.lower_ == "'d" and clause.head.tag_ == "VBN":
                continue  # "I'd moved": had
            if child.lower_ in ("ca", "can") and clause.lemma in ("stand", "bear", "tolerate"):
                continue
            if child.lower_ in ("will", "'ll", "wo"):
                return "planned"
            if child.lower_ in MODALS:
                return MODALS[child.lower_]
    if not clause.owns_subject and clause.top.dep_ == "conj" and clause.governor is not None:
        return _reason_of_modals(clause.governor)
    return ""


def _reason_of_controls(clause: Clause) -> str:
    for verb in clause.controls:
        lemma = verb.lemma_.lower()
        if verb.lower_ == "used" or lemma in ENDING_VERBS:
            continue
        if verb.lower_ == "going" and any(child.lower_ in ("was", "were") for child in verb.children):
            return "hypothetical"  # what one was going to do
        if lemma in DECLINING_VERBS:
            return "negated"
        if lemma in INTENTION_VERBS:
            return "planned"
        if lemma in SEEMING_VERBS:
            return "hedged"
    if not clause.owns_subject and clause.top.dep_ == "conj" and clause.governor is not None:
        return _reason_of_controls(clause.governor)
    return ""


def _reason_of_mark(clause: Clause) -> str:
    marks = {
        child.lower_
        for verb in clause.chain
        for child in verb.children
        if child.dep_ in ("mark", "advmod") and child.i < verb.i
    }
    if marks & CONDITIONAL_MARKS:
        return "hypothetical"
    if clause.top.dep_ == "advcl" and marks & FUTURE_MARKS and _tense(clause)[0] is Tense.PRESENT:
        return "planned"
    for dependant in clause.dependants:
        inner = {child.lower_ for child in dependant.top.children if child.dep_ in ("mark", "advmod")}
        if dependant.top.dep_ == "advcl" and inner & CONDITIONAL_MARKS:
            return "hypothetical"
    return ""


def _reason_of_governor(clause: Clause) -> str:
    governor = clause.governor
    if governor is None:
        return ""
    if clause.top.dep_ == "conj":
        if clause.owns_subject and governor.top.dep_ == "ROOT":
            return ""
        return _reason_of_mark(governor) or _reason_of_governor(governor)
    # A verb taken for a preposition ("if I said I like it") hangs as no complement, yet is one.
    if clause.top.dep_ in ("ccomp", "pcomp", "csubj", "xcomp") or clause.head.tag_ == "IN":
        lemma = governor.lemma
        if lemma in INTERJECTIONS:
            return ""
        if _parallel(clause) and lemma not in HEDGING_VERBS:
            return ""
        if _own_words(governor):
            return ""
        if lemma in HEDGING_VERBS:
            return HEDGING_VERBS[lemma]
        if lemma not in FACTIVE_VERBS and clause.top.dep_ == "ccomp":
            return "unclear"
        if lemma == "forget":
            return ""
        return "unclear" if _negations(governor) else _reason_of_modals(governor)
    if clause.top.dep_ in ("advcl", "relcl", "acl"):
        if not clause.owns_subject and clause.top.dep_ == "advcl" and _negations(governor):
            return "unclear"
        outer = _reason_of_mark(governor) if clause.top.dep_ == "advcl" else ""
        return outer and "hypothetical"
    return ""


def _parallel(clause: Clause) -> bool:
    """Two sentences joined by a comma or "so", which the model likes to call a complement."""
    governor = clause.governor
    if governor is None:
        return False
    if clause.head.i < governor.head.i:
        between = [word for word in clause.sentence if clause.head.i < word.i < governor.head.i]
        return any(word.lower_ in _JOINTS for word in between)
    if clause.subject is None or not clause.owns_subject:
        return False
    first = clause.subject.left_edge
    return first.i > governor.head.i and first.nbor(-1).lower_ in (*_JOINTS, "so")


_JOINTS = (",", ";", "-", "–", "—")


def _own_words(governor: Clause) -> bool:
    """ "I told you I'm vegan": the speaker stands by it."""
    subject = governor.subject
    return (
        governor.lemma in ("tell", "say")
        and subject is not None
        and subject.lower_ == "i"
        and _tense(governor)[0] is Tense.PAST
        and not _negations(governor)
        and not _reason_of_modals(governor)
        and not any(child.dep_ in ("mark", "advmod") for child in governor.top.children)
        and not any(word.lower_ in ("but", "actually") for word in governor.sentence)
    )
