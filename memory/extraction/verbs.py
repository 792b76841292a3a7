"""Verbs as keys: which of them say something of their own, and what a key made of one is called."""

from memory.extraction.lexicon import listed

# Of minds, words, wishes and appearances, or of too many meanings: what they say is no fact about their subject.
LIGHT = listed(
    "be do think know want feel guess say mean like love hate need seem look let wonder hope try can will may must "
    "believe prefer enjoy remember forget understand agree disagree suppose wish care worry sound happen talk tell ask "
    "hear see become appear reckon figure bet doubt expect assume imagine fancy adore dislike mind matter bother annoy "
    "please surprise thank appreciate apologise apologize welcome excuse help explain describe mention suggest share "
    "recommend discuss answer reply show tend remain stay get come go put bring set turn begin stop finish continue "
    "quit cease give send find notice realise realize recall suspect concern interest confuse deserve miss regret "
    "mistake consider decide intend plan claim argue admit deny insist complain joke kid laugh cry smile wait hurt "
    "kill die feel smell taste spell add check fix click press type print return throw crash fail hang break work live "
    "stand love resent admire despise detest loathe trust respect envy fear note use drop end report bore suit "
    "earn count mix belong lie fit differ vary fall sit pick catch"
)
# Of those, the ones that do say a fact with a preposition behind them.
_WITH_PREPOSITION = {
    "go": ("to",),
    "look": ("after",),
    "end": ("at", "on"),
    "belong": ("to",),
    "fall": ("on",),
    "sit": ("on",),
    "finish": ("at", "on"),
    "begin": ("at", "on", "in"),
    "stand": ("at", "on", "in"),
    "hang": ("in", "over"),
    "come": ("with",),
    "return": ("on", "at"),
}
# Not a thing that one has, makes or takes, but a turn of speech, or too vague to be kept.
IDLE_NOUNS = listed(
    "thing things stuff lot lots bit way ways sense fun care time times place part look break note point mistake "
    "difference idea ideas question questions problem problems issue issues trouble attention while minute second "
    "moment moments chance choice advice help use turn advantage pleasure hand hope hopes luck mind promise regret "
    "regrets doubt "
    "doubts word words clue feeling feelings headache cold hangover plate day night week weekend morning evening life "
    "reason reasons answer answers opinion thought thoughts sleep fuss mess sorry fingers eye eyes ear ears head heart "
    "brain back laugh joke rest kind sort type example fact truth case matter course business job need wish thanks "
    "credit blame breath control access pity shame love hate fun step steps sound error errors bug bugs code test "
    "tests file files line lines tab tabs button page folder window column row screen cursor response reply "
    "conversation message text sentence paragraph list version request deal touch edge crap shit hell ass fire rain "
    "space room money wagon spot crush living soft say rant go try guess lie fit difference mixture bunch couple few"
)
# What only people do, and what only systems do, whatever the model takes a name for.
OF_PEOPLE = listed(
    "sing teach breed coach chair repair bake paint volunteer commute cycle knit sew garden cook eat drink wear play "
    "row study collect carry train tutor mentor babysit brew hike swim run speak drive ride organise organize smoke "
    "practise practice rehearse mow fish hunt sail climb rent owe pay row attend"
)
OF_SYSTEMS = listed(
    "index store publish listen require support expose serve host process handle connect parse cache log deploy "
    "consume emit render compile import export sync poll validate encrypt compress forward route trigger fetch "
    "authenticate contain ingest scale replicate"
)
_SIBILANT = ("s", "x", "z", "ch", "sh", "o")


def says_something(lemma: str, preposition: str = "") -> bool:
    """Whether a clause headed by this verb, with this before its complement, tells a fact of its subject."""
    return lemma not in LIGHT or preposition in _WITH_PREPOSITION.get(lemma, ())


def third_person(lemma: str) -> str:
    """ "carries" for "carry"."""
    if lemma == "have":
        return "has"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}es" if lemma.endswith(_SIBILANT) else f"{lemma}s"


def key_of(verb: str, preposition: str = "") -> str:
    """The key of a statement: "reports_to", "starts_at". verb: as the key says it, particle included."""
    return "_".join(part for part in (*verb.split(" "), preposition) if part)
