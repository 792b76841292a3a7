"""What people suffer from, take and don't eat."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.entries import END, I_AM, I_DO, entry

# By the endings that names of medicines have, and some that have none of these.
_MEDICINE = (
    r"[a-z]*(?:pril|statin|formin|oxetine|traline|prazole|cillin|profen|olol|sartan|peridone|"
    r"thyroxine|cetamol|azine|"
    r"zapine|azepam|ratadine|tirizine|cycline|mycin|solone|sone|triptan|gliptin|flozin|pram|"
    r"faxine|triptyline|dipine|"
    r"thiazide|semide|tidine|trexate|tamoxifen|lukast|gabalin|pentin|tropium|terol|glutide)|"
    r"insulin|lithium|ritalin|"
    r"xanax|zoloft|prozac|ozempic|adderall|concerta|warfarin|aspirin|melatonin|antidepressants|antihistamines|"
    r"beta[- ]blockers|statins|blood thinners|the pill|hrt|iron tablets|vitamin [a-z]\d*"
)

BODY = (
    entry(
        rf"{I_DO} (?:get|suffer from) (?P<value>migraines|hay fever|panic attacks|nosebleeds|cold sores|vertigo|"
        rf"cramps)\b",
        "health",
        "identity",
    ),
    entry(
        rf"{I_AM} off (?P<value>coffee|dairy|sugar|meat|alcohol|gluten|caffeine|carbs|bread|booze|wheat){END}",
        "avoids",
        "knowledge",
    ),
    entry(
        rf"{I_DO} take (?:the |my |some )?(?:\d+ ?m?c?g (?:of )?)?(?P<value>{_MEDICINE})\b", "medication", "identity"
    ),
    entry(
        rf"{I_AM} (?:taking|on) (?:the |my |some )?(?:\d+ ?m?c?g (?:of )?)?(?P<value>{_MEDICINE})\b",
        "medication",
        "identity",
    ),
    entry(
        rf"{I_DO} (?:just |recently |finally )?(?:stopped|quit) taking (?:the |my "
        rf")?(?P<value>{_MEDICINE})\b",
        "medication",
        "identity",
    ),
    entry(
        rf"(?:{I_DO} (?:came|come|went|gone)|{I_AM}) off (?:the |my )?(?P<value>{_MEDICINE})\b",
        "medication",
        "identity",
        Aspect.END,
    ),
    entry(
        rf"my (?:[\w-]+ ){{0,2}}(?:tablets|pills|meds|medication|medicine|antidepressants|inhaler|"
        rf"statins?) (?:is|are)(?: called)? (?P<value>{_MEDICINE})\b",
        "medication",
        "identity",
    ),
    entry(
        rf"{I_DO} (?:have|got) (?P<value>adhd|add|ocd|autism|asthma|epilepsy|eczema|psoriasis|ibs|pcos|"
        rf"endometriosis|dyslexia|dyspraxia|arthritis|tinnitus)\b",
        "health",
        "identity",
    ),
    entry(
        r"(?:we're|we are|i'm|i am)(?: now)? an? (?P<value>kosher|halal|vegan|vegetarian|"
        r"gluten[- ]free|dairy[- ]free|nut[- ]free)(?: \w+)? (?:household|house|family|home)\b",
        "diet",
        "identity",
    ),
    entry(
        rf"(?:i|we)(?:'ve| have)? (?:given|gave|quit|cut out)(?: up| out)? (?P<value>sugar|meat|dairy|"
        rf"gluten|alcohol|coffee|caffeine|carbs|bread|fish|eggs|wheat|chocolate){END}",
        "eats",
        "knowledge",
        Aspect.END,
    ),
)
