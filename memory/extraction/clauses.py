"""Clauses of a sentence: who, which verb, and the words that belong to it.

The parse decides where clauses are and what their subjects are; complements are read from the
words themselves (`phrases`), because the small model attaches them unreliably.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from spacy.tokens import Span, Token

from memory.extraction.lexicon import CONTROL_VERBS, listed

_CLAUSAL = frozenset(("conj", "ccomp", "advcl", "relcl", "parataxis", "acl", "pcomp", "xcomp", "csubj"))
# Words that the model takes for nouns after "and" ("and work for acme").
_OFTEN_VERBS = listed(
    "work live love like hate use run enjoy prefer manage lead works lives uses runs talks plays reads writes stores "
    "hosts"
)


@dataclass(slots=True)
class Clause:
    """One predicate with its words. Built once, then only read.

    head: the content verb ("live" of "used to live"), or a noun in a fragment without a verb.
    controls: the outer verbs, outermost first ("used").
    subject: head word of the subject, own or shared ("I live here and work there"), or None.
    after: the words behind `head` up to the next clause.
    """

    sentence: Span
    head: Token
    controls: tuple[Token, ...]
    subject: Token | None
    owns_subject: bool
    governor: "Clause | None"
    own: tuple[Token, ...] = ()
    after: tuple[Token, ...] = ()
    dependants: list["Clause"] = field(default_factory=list)

    @property
    def chain(self) -> tuple[Token, ...]:
        return (*self.controls, self.head)

    @property
    def top(self) -> Token:
        return self.chain[0]

    @property
    def lemma(self) -> str:
        if self.head.pos_ == "AUX" and self.head.lower_ in ("m", "'m", "s", "'s", "re", "'re"):
            return "be"  # "im", "hes"
        if self.head.lower_ == "got" and any(
            child.lemma_ == "have" or child.lower_ == "'ve" for child in self.head.children
        ):
            return "have"  # "I've got"
        if self.head.lower_ == "hates":
            return "hate"  # "hat" for the model
        return self.head.lemma_.lower()

    @property
    def is_verb_as_noun(self) -> bool:
        """ "Our cluster runs Kubernetes", where the model takes the verb for a noun."""
        return _is_verb_as_noun(self.head)

    @property
    def is_errand(self) -> bool:
        """ "I went to see them", of the seeing."""
        going = self.governor is not None and self.governor.lemma in ("go", "come", "fly", "drive", "travel")
        return going and self.top.dep_ == "advcl" and self.head.tag_ == "VB"

    @property
    def start(self) -> int:
        """Offset of the first word, the subject's included."""
        words = [word.idx for word in self.own]
        if self.subject is not None and self.owns_subject:
            words.append(self.subject.left_edge.idx)
        return min(words, default=self.head.idx)

    @property
    def end(self) -> int:
        said = [word for word in self.own if not word.is_punct]
        last = max(said, key=lambda word: word.i, default=self.head)
        return int(last.idx + len(last))


def clauses_of(sentence: Span) -> list[Clause]:
    """The clauses of one sentence, in the order of their verbs."""
    chains = _chains(sentence)
    by_token: dict[int, Clause] = {}
    clauses: list[Clause] = []
    for chain in chains:
        clause = Clause(sentence, chain[-1], tuple(chain[:-1]), None, False, None)
        clauses.append(clause)
        by_token.update((word.i, clause) for word in chain)
    for clause in clauses:
        clause.governor = _owner(clause.top.head, by_token) if clause.top.head.i != clause.top.i else None
        if clause.governor is not None:
            clause.governor.dependants.append(clause)
    words: dict[int, list[Token]] = {}
    for word in sentence:
        owner = _owner(word, by_token)
        if owner is not None and not word.is_space:
            words.setdefault(id(owner), []).append(word)
    for clause in clauses:
        clause.own = tuple(words.get(id(clause), ()))
        clause.after = tuple(_after(clause))
        _find_subject(clause)
    for clause in clauses:
        if clause.subject is None:
            _share_subject(clause)
    return clauses


def _chains(sentence: Span) -> list[list[Token]]:
    heads = {word.i for word in sentence if _is_clause_head(word)}
    changed = True
    while changed:  # a conjunct of a head is a head
        more = {
            word.i
            for word in sentence
            if word.i not in heads and word.dep_ == "conj" and word.head.i in heads and _like_verb(word)
        }
        heads |= more
        changed = bool(more)
    chains: list[list[Token]] = []
    inner: set[int] = set()
    # "breeds goats and chairs the council", where the verb is joined to the object before it.
    heads |= {
        word.i
        for word in sentence
        if word.dep_ == "conj"
        and (word.tag_ in ("VBZ", "VBP", "VBD") or word.lower_ in _OFTEN_VERBS)
        and _like_verb(word)
        and word.nbor(-1).dep_ == "cc"
    }
    for word in sentence:
        if word.i not in heads or word.i in inner:
            continue
        chain = [word]
        while (step := _controlled(chain[-1])) is not None:
            chain.append(step)
            inner.add(step.i)
        chains.append(chain)
    return [chain for chain in chains if chain[0].i not in inner]


def _is_clause_head(word: Token) -> bool:
    if word.dep_ == "ROOT" or any(child.dep_ in ("nsubj", "nsubjpass") for child in word.children):
        return True
    if _is_mistagged_like(word):
        return True
    if word.dep_ == "pcomp" and _is_mistagged_like(word.head):
        return False  # "I no longer like running": its object
    return word.dep_ in _CLAUSAL and word.dep_ != "conj" and word.dep_ != "xcomp" and word.pos_ in ("VERB", "AUX")


def _is_mistagged_like(word: Token) -> bool:
    return word.lower_ == "like" and word.tag_ == "IN" and _nominative_before(word) is not None


def _nominative_before(word: Token) -> Token | None:
    """The "I" of "I no longer like", where the model takes the verb for a preposition."""
    for position in range(word.i - 1, max(word.i - 4, word.sent.start - 1), -1):
        before = word.doc[position]
        if before.lower_ in ("i", "we", "they"):
            return before
        if before.tag_ not in ("RB", "RBR", "DT"):
            return None
    return None


def _like_verb(word: Token) -> bool:
    return word.pos_ in ("VERB", "AUX") or (word.lower_ in _OFTEN_VERBS and word.nbor(-1).dep_ == "cc")


def _is_verb_as_noun(word: Token) -> bool:
    """A sentence of one noun phrase whose last noun is as well a verb, and goes on behind it."""
    if word.dep_ != "ROOT" or word.tag_ != "NNS" or not word.lower_.endswith("s"):
        return False
    if any(other.pos_ in ("VERB", "AUX") for other in word.sent):
        return False
    before = word.nbor(-1) if word.i > word.sent.start else None
    following = word.nbor(1) if word.i + 1 < word.sent.end else None
    return (
        before is not None
        and before.head == word
        and before.tag_ in ("NN", "NNP")
        and following is not None
        and following.tag_ in ("NNP", "CD", "DT", "IN", "PRP$", "JJ", "NN", "NNS")
    )


def _controlled(word: Token) -> Token | None:
    if word.lemma_.lower() not in CONTROL_VERBS:
        return None
    for child in word.children:
        own_subject = any(grandchild.dep_ in ("nsubj", "nsubjpass") for grandchild in child.children)
        inner = child.dep_ in ("xcomp", "ccomp") and child.i > word.i and child.pos_ in ("VERB", "AUX")
        if inner and not own_subject:
            return child
    return None


def _owner(word: Token, by_token: dict[int, Clause]) -> Clause | None:
    for ancestor in (word, *word.ancestors):
        if ancestor.i in by_token:
            return by_token[ancestor.i]
    return None


def _after(clause: Clause) -> Iterator[Token]:
    own = {word.i for word in clause.own}
    for word in clause.sentence:
        if word.i <= clause.head.i or word.is_space:
            continue
        if word.i not in own:
            return
        yield word


def _find_subject(clause: Clause) -> None:
    for verb in clause.chain:
        for child in verb.children:
            if child.dep_ in ("nsubj", "nsubjpass") and child.i < clause.head.i:
                clause.subject, clause.owns_subject = child, True
                if child.tag_ in ("WP", "WDT") and clause.top.dep_ == "relcl":
                    clause.subject, clause.owns_subject = clause.top.head, False
                return
    if clause.subject is None and _is_verb_as_noun(clause.head):
        clause.subject, clause.owns_subject = clause.head.nbor(-1), True
    if clause.head.tag_ == "IN" and (subject := _nominative_before(clause.head)) is not None:
        clause.subject, clause.owns_subject = subject, True


def _is_next_of_list(clause: Clause) -> bool:
    """ "Was raised in Cork, studied in Graz and lives in Rome", of the second, which may hang below the first."""
    top = clause.top
    listed = any(child.dep_ == "conj" and child.tag_ in ("VBD", "VBP", "VBZ", "VBN", "VB") for child in top.children)
    told = listed and top.dep_ == "advcl" and top.tag_ in ("VBN", "VBD") and top.i > 0 and top.nbor(-1).text == ","
    return told and top.lemma_ not in ("marry", "divorce", "separate", "engage")  # a state, or a day's deed


def _share_subject(clause: Clause) -> None:
    if clause.top.dep_ == "acl":
        clause.subject = clause.top.head
        return
    step = clause
    joined = ("conj", "advcl") if clause.head.tag_ == "VBG" or clause.is_errand else ("conj",)
    while step.subject is None and step.governor is not None and (step.top.dep_ in joined or _is_next_of_list(step)):
        step = step.governor
    clause.subject = step.subject
