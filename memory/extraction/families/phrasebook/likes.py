"""What people like and don't."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.entries import END, I_AM, I_DO, NAME, NOUN, entry

LIKES = (
    entry(
        rf"(?P<value>{NAME}|{NOUN}) is (?:totally |really |so |very much )?my (?:thing|jam|happy place|"
        rf"passion){END}",
        "likes",
    ),
    entry(
        rf"(?P<value>{NAME}|{NOUN}) (?:isn't|is not|aren't|are not) (?:really )?(?:my (?:thing|cup of tea|jam)|"
        rf"for me){END}",
        "dislikes",
        "knowledge",
        Aspect.GIVEN,
    ),
    entry(
        rf"{I_DO} find (?P<value>{NOUN}) (?:so |really |very |quite |pretty )?(?:boring|dull|annoying|disgusting|"
        rf"tedious|gross){END}",
        "dislikes",
    ),
    entry(
        rf"{I_DO}(?: can)? could eat (?P<value>{NOUN}) (?:all day|every day|forever)",
        "likes",
        "knowledge",
        Aspect.GIVEN,
    ),
    entry(rf"{I_AM} (?:afraid|scared|terrified) of (?P<value>{NOUN}){END}", "fears"),
    entry(
        rf"what (?:i|we) (?:really |actually |most )?(?:like|love|enjoy)(?: (?:most|best))? "
        rf"is (?P<value>{NOUN}){END}",
        "likes",
        "knowledge",
        Aspect.GIVEN,
    ),
    entry(
        rf"what (?:i|we) (?:really |actually |most )?(?:hate|dislike|can't stand)(?: (?:most))? "
        rf"is (?P<value>{NOUN}){END}",
        "dislikes",
        "knowledge",
        Aspect.GIVEN,
    ),
    entry(
        rf"the (?:one )?thing i (?:hate|dislike|can't stand)(?: the)?(?: most)? is (?P<value>{NOUN}){END}",
        "dislikes",
        "knowledge",
        Aspect.GIVEN,
    ),
    entry(
        rf"the (?:one )?thing i (?:love|like|enjoy)(?: the)?(?: most| best)? is (?P<value>{NOUN}){END}",
        "likes",
        "knowledge",
        Aspect.GIVEN,
    ),
    entry(
        rf"(?:there's |there is )?nothing (?:i (?:love|like|enjoy) more than|beats) (?:an? "
        rf")?(?P<value>{NOUN}){END}",
        "likes",
        "knowledge",
        Aspect.GIVEN,
    ),
    entry(rf"{I_AM} an? (?P<value>atheist|agnostic){END}", "religion", "identity"),
    entry(
        rf"(?!my\b|our\b)(?P<value>{NAME}|{NOUN}) (?:really |just |always )?(?:bores?|annoys?|irritates?|repulses?|"
        rf"disgusts?) me\b",
        "dislikes",
    ),
    entry(
        rf"(?!my\b|our\b)(?P<value>{NAME}|{NOUN}) (?:really |just |always )?(?:drives?) me (?:mad|"
        rf"crazy|insane|nuts|"
        rf"up the wall)\b",
        "dislikes",
    ),
    entry(
        rf"{I_DO} do (?:really |quite |absolutely )?(?:adore|love|like|enjoy) (?:an? |the "
        rf")?(?P<value>{NOUN}|{NAME}){END}",
        "likes",
    ),
)
