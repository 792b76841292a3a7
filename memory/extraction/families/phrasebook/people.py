"""Whom people have: partners, relatives, friends, colleagues and pets, by name."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_SOMEBODY = (
    "[(a|an|this)] [(nice|lovely|really nice)] [(guy|girl|man|woman|bloke|lad|lass|chap|fella|lady|colleague|"
    "someone|person|dude|fellow|gentleman|friend|girl from work|guy from work)] [(called|named|by the name "
    "of)]"
)


_PARTNERS = f"""
    {{who}} <be> [(now|currently|happily|officially)] (dating|seeing|going out with|in a relationship with|together
        with|courting|stepping out with|shacked up with|living in sin with|an item with) {_SOMEBODY} {{partner}}
    {{who}} <be> (engaged to|betrothed to|getting married to|marrying|going to marry) {_SOMEBODY} {{engaged_to}}
    {{who}} <be> [(happily|still|now|newly)] married to {_SOMEBODY} {{married_to}}
    {{partner}} and (I|me) <be> [(now|still|back)] (together|dating|a couple|an
        item|seeing each other|going out|in a relationship|an old couple)…
    (me|I|myself) and {{partner}} <be> [(now|still|back)] (together|dating|a couple|an item|
        seeing each other|going out|in a relationship)…
    {{engaged_to}} and (I|me) (are|'re) [(now)] engaged
    (me|I) and {{engaged_to}} (are|'re) [(now)] engaged
    {{partner}} <be> my (other half|better half|partner|bf|gf|significant other|so|life partner|boo|fella|bloke|old
        man|old lady|missus)
    my (other half|better half|significant other|fella|bloke|old man|boo|missus|bidey-in) <be> [(called|named)]
        {{partner}}
    the (woman|man|girl|guy|person) (I'm|I am) engaged to <be> [(called|named)] {{engaged_to}}
    the (woman|man|girl|guy|person) (I'm|I am) (with|seeing|dating|going out with) <be> [(called|named)] {{partner}}
    the (woman|man|girl|guy|person) (I'm|I am) married to <be> [(called|named)] {{married_to}}
    {{who}} <share> my life with {{partner}}
"""
_MARRIED = """
    {who} <marry> {married_to} (in|on|last|back|when|this|two|three|ten|five|twenty|young|after|a)…
    {who} <get> (engaged|married) to {married_to}…
    {who} <propose> to {engaged_to}
    {engaged_to} and (I|me) got engaged…
    (me|I) and {engaged_to} got engaged…
    {who} <get> (together|hitched|hooked up) with {partner}
    {who} <tie> the knot with {married_to}
"""
_SEPARATED = """
    [my ex] {partner} and (I|me) (split up|broke up|separated|split|have split up|have split|have separated|have
        broken up|called it a day|aren't
        together anymore|parted ways|are done|are over|divorced|are through|are no more|
        have parted ways|called it quits|went our separate ways|consciously uncoupled)…
    (me|I|myself) (and|n) {partner} (split up|broke up|separated|split|have split up|have split|have separated|have
        broken up|called it a day|aren't
        together anymore|parted ways|are done|are over|divorced|are through|called it quits|went our separate ways|
        aren't together anymore)…
    {who} (broke up|split up|split|parted ways|separated|have split up|have broken up|'ve split up|'ve broken up|
        called it quits|finished|ended things|called it off) (with|from) {partner}…
    {who} <divorce> {partner} (last|in|after|because|,|two|a|this|for)…
    {partner} (dumped|divorced|broke up with|finished with|walked out on) me
    {partner} and (I|me) are getting divorced
"""
_RELATIVES = """
    {who} <be> [(the|a)] [(proud|doting|very proud)] (mum|mom|mother|dad|father|parent|mummy|daddy) (of|to)
        {children}
    {who} <be> {children}'s (mum|mom|mother|dad|father|mummy|daddy|stepdad|stepmum|parent)…
    {who} <be> {siblings}'s (brother|sister|twin|little brother|big brother|little sister|big sister|twin
        sister|twin brother)…
    {children} <be> my (kids|children|sons|daughters|twins|boys|girls|little ones|pride and joy)
    my (kids|children|boys|girls|twins|sons|daughters|little ones|two|three|lot) <be> [(called|named)] {children}
    {who} <have> [(a|an)] [(baby|toddler|teenage|grown-up|little|newborn|{_number}-year-old)] (son|boy|lad)
        [(called|named|,)] {son}
    {who} <have> [(a|an)] [(baby|toddler|teenage|grown-up|little|newborn|{_number}-year-old)] (daughter|girl)
        [(called|named|,)] {daughter}
    {who} <have> [(a|an|one)] [(older|younger|big|little|elder|twin|half|baby)] sister [(called|named|,)] {sister}
    {who} <have> [(a|an|one)] [(older|younger|big|little|elder|twin|half|baby)] brother [(called|named|,)]
        {brother}
    my [(old|other)] best (friend|mate|bud|pal|buddy) <be> [(called|named)] {friend}
    my (bestie|bff|bezzie|bezzie mate|oppo|ride or die|oldest friend|closest friend|dearest friend) <be> [(called|
        named)] {friend}
    {friend} <be> [(also|still)] my [(oldest|closest|dearest|best|very best|absolute best)] (best friend|best
        mate|bestie|bff|bezzie mate|closest friend|oldest friend|friend|best pal|mate from work|friend from work|
        partner in crime)
    {friend} <be> (a|an) [(old|good|close|dear|mutual|childhood)] (friend|mate|pal) (of mine|from school|from
        work|from uni|from university)
    {friend} and (I|me) (are|have been) [(really|very|still)] (good friends|best friends|close friends|friends|
        mates|best mates|close|thick as thieves)…
    {who} <be> [(good|best|close|great|really good|old)] (friends|mates|pals|besties) with {friend}
    {who} <share|live in> (a|my|the|our) (flat|house|apartment|room|place|home) with {flatmate}
    {who} <flat|room|bunk> with {flatmate}
    {flatmate} <be> [(also)] my [(new|old|current)] (flatmate|housemate|roommate|roomie)
    my (ex|ex-husband|ex-wife|ex-boyfriend|ex-girlfriend|ex-partner) <be> (called|named) {ex}
    {ex} <be> my (ex|ex-husband|ex-wife|ex-boyfriend|ex-girlfriend|ex-partner)
"""
_PEOPLE_WITH_ROLES = """
    my (gp|doctor|family doctor|doc) <be> [(called|named|a)] {doctor}
    (my|our) [new] team lead <be> [(called|named)] {team_lead}
    (my|our) [new] tech lead <be> [(called|named)] {tech_lead}
    my [new] (physio|physiotherapist) <be> [(called|named|a)] {physio}
    my (dentist|dentist's name) <be> [(called|named|a)] {dentist}
    my (therapist|counsellor|counselor|psychologist|psychiatrist|shrink|analyst) <be> [(called|named|a)] {therapist}
    my (chiropractor|osteopath|acupuncturist|personal trainer|trainer|pt) <be> [(called|
        named|a)] {trainer}
    (my|our) (accountant|bookkeeper) <be> [(called|named|a)] {accountant}
    (my|our) (lawyer|solicitor|attorney) <be> [(called|named|a)] {lawyer}
    (my|our) (landlord|landlord's name) <be> [(called|named|a)] {landlord}
    (my|our) landlady <be> [(called|named|a)] {landlady}
    (my|our) vet <be> [(called|named|a)] {vet}
    (my|our) (cleaner|nanny|childminder|babysitter|au pair|gardener) <be> [(called|named|a)] {helper}
    my (mentor|coach|tutor|academic advisor) <be> [(called|named|a)] {mentor}
    [my] (supervisor|advisor|adviser|phd supervisor|thesis supervisor|thesis advisor) <be> [(called|named|a)]
        {supervisor}
    my (hairdresser|barber|stylist) <be> [(called|named|a)] {hairdresser}
    (my|our) [(next-door|upstairs|downstairs)] (neighbour|neighbor|neighbours|neighbors) <be> [(called|named|a)]
        {neighbour}
    my (mentee|intern|assistant|pa|deputy|apprentice|trainee) <be> [(called|named|a)] {assistant}
    my (desk mate|lab partner|study partner|project partner|business partner|dance partner|climbing partner|gym
        buddy|running partner|co-founder|cofounder|colleague|co-worker|work wife|work husband|teammate) <be>
        [(called|named|a guy named|a guy called|a woman named|a woman called)] {colleague}
"""
_PETS = """
    {who} <have|own> [(a|an|this|my)] [(rescue|little|old|lovely|gorgeous|big|tiny|lazy|crazy|
        elderly|{_number}-year-old|black|ginger|tabby|fluffy|grumpy)] [{_word}] (dog|puppy|pup|labrador|lab|spaniel|
        terrier|greyhound|whippet|poodle|husky|collie|border collie|corgi|beagle|pug|dachshund|cockapoo|labradoodle|
        staffie|lurcher|retriever|golden retriever|german shepherd|bulldog|mutt|mongrel|doggo) [(called|named|,|who
        we call|by the name of)] {dog}
    {who} <have|own> [(a|an|this|my)] [(rescue|little|old|lovely|gorgeous|big|tiny|lazy|crazy|
        elderly|{_number}-year-old|black|ginger|tabby|fluffy|grumpy)] [{_word}] (cat|kitten|kitty|moggy|tabby|
        tomcat|ragdoll|maine coon|siamese) [(called|named|,|who we call|by the name of)] {cat}
    {who} <have|own> [(a|an|this|my)] [(rescue|little|old|lovely|gorgeous|big|tiny|elderly|pet)]
        (rabbit|bunny) [(called|named|,)] {rabbit}
    {who} <have|own> [(a|an|this|my)] [(rescue|little|old|lovely|gorgeous|big|tiny|elderly|pet)]
        (hamster|guinea pig|gerbil|rat) [(called|named|,)] {hamster}
    {who} <have|own> [(a|an|this|my)] [(rescue|little|old|lovely|gorgeous|big|tiny|elderly|pet)]
        (parrot|budgie|cockatiel|canary|macaw) [(called|named|,)] {parrot}
    {who} <have|own> [(a|an|this|my)] [(rescue|little|old|lovely|gorgeous|big|tiny|elderly|pet)]
        (tortoise|turtle|terrapin) [(called|named|,)] {tortoise}
    {who} <have|own> [(a|an|this|my)] [(rescue|little|old|lovely|gorgeous|big|tiny|elderly|pet)]
        (horse|pony|mare|gelding) [(called|named|,)] {horse}
"""
_NEW_PETS = _PETS.replace("<have|own>", "<adopt|rescue|get>")
_PETS_NAMED = """
    {who} <name> (him|her|the baby|our baby|our son|our daughter|the little one) {children}
    {dog}, (my|our) [{_word}] (dog|puppy|labrador|lab|spaniel|terrier|greyhound|whippet|poodle|husky|collie|corgi|
        beagle|pug|dachshund|cockapoo|staffie|lurcher|retriever),…
    {cat}, (my|our) [{_word}] (cat|kitten|moggy|tabby|ragdoll|siamese),…
    {rabbit}, (my|our|the) [{_word}] (rabbit|bunny)…
    {tortoise}, (my|our|the) [{_word}] (tortoise|turtle),…
    {parrot}, (my|our|the) [{_word}] (parrot|budgie),…
    {hamster}, (my|our|the) [{_word}] (hamster|guinea pig),…
    (the|our) [{_word}] (dog|puppy|pup|dog's name) <be> [(called|named|a)] {dog}
    (the|our) [{_word}] (cat|kitten|cat's name) <be> (called|named) {cat}
    (the|our) [{_word}] (tortoise|turtle) <be> (called|named) {tortoise}
    (the|our) [{_word}] (rabbit|bunny) <be> (called|named) {rabbit}
    (the|our) [{_word}] (hamster|guinea pig) <be> (called|named) {hamster}
    (the|our) [{_word}] (parrot|budgie) <be> (called|named) {parrot}
    (the|our) [{_word}] (horse|pony) <be> (called|named) {horse}
"""
_BREEDS = """
    {who} <be> (a|an) [(rescue|{_number}-year-old|pedigree|purebred|big|old|little|mad|very old|very lazy|
        ten-year-old)] {breed} [(cross|mix)]
    {who} <be> [(a|an)] [(mostly|half|part)] {breed} (cross|mix)
"""
_COUNTS = """
    {who} <be> (a|an) [(single|proud|busy|working|very tired|full-time|stay-at-home)] (mum|mom|mother|dad|father|
        parent|mummy|daddy) (of|to) {children_count}
    {who} <be> (an|the) {siblings_position=only child|eldest|youngest|middle child|oldest|eldest child|youngest
        child|oldest child|eldest of three|youngest of three|eldest of four|youngest of four|youngest of five|
        eldest of five|middle of three}
"""
_LIFE = """
    {my} pronouns <be> {pronouns}
    {who} <use|go by|prefer> {pronouns} [(pronouns)]
    {who} <be> [(openly|out and proud as|out as)] {orientation}
    {who} <lose> (my|our|her|his) (husband|wife) (to|in|last|two|three|five|ten|a few)… -> marital_status = widowed
    having been {marital_status=widowed|divorced} in…
    {who} <go> through a divorce -> marital_status = divorcing
"""

PEOPLE = (
    *told(_PARTNERS),
    *told(_MARRIED, Aspect.EVENT),
    *told(_SEPARATED, Aspect.END),
    *told(_RELATIVES),
    *told(_PEOPLE_WITH_ROLES),
    *told(_PETS),
    *told(_NEW_PETS, Aspect.EVENT),
    *told(_PETS_NAMED, Aspect.GIVEN),
    *told(_BREEDS),
    *told(_COUNTS),
    *told(_LIFE),
)
