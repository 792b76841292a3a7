"""What a person is like and how to be reached: sizes, looks, hands, dates, faith, temper, numbers."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_SIZES = """
    {who} <be|stand|measure> [(about|around|roughly|nearly|almost|just under|just over|only|a)] {height} [(tall|in
        my socks|in height|in bare feet)]
    {who} <be> (taller|shorter) than {_some} now {height}
    {my} height <be> [(about|around|roughly)] {height}
    {who} <weigh|be> [(about|around|roughly|nearly|almost|just under|just over|only|in at|a)] {weight}
    {my} weight <be> [(about|around|roughly|currently)] {weight}
    {who} <wear|take|be|need> [(a)] [(shoe|shoes)] size {shoe_size} [(shoe|shoes|boot|boots|feet|trainers|in shoes|
        shoes in)]
    {who} <have> size {shoe_size} feet
    {who} <be> [(a)] size {shoe_size} (in shoes|shoe|feet|shoes)
    {my} (shoe size|shoes|feet|shoe-size|trainers|boots) <be> [(a)] [(size)] {shoe_size}
    put my (trainers|shoes|boots) down as (a size|size) {shoe_size}
    {who} <wear|take|be> [(a|an)] [(size)] {clothing_size} (dress|shirt|t-shirt|jeans|trousers|top|ring|hat|for)…
    {my} (dress size|shirt size|t-shirt size|clothes size|ring size|hat size|waist|bra size|inside leg) <be> [(a|
        an)] [(size)] {clothing_size}
    {who} <have> {eye_colour} eyes and {hair_colour} hair
    {who} <have> {eye_colour} eyes
    {my} eyes <be> {eye_colour}
    {who} <have> [(long|short|curly|straight|wavy|thick|frizzy|dyed)] {hair_colour} hair
    {my} hair <be> [(naturally)] {hair_colour}
    {who} <be> [(a|naturally)] [(natural)] {hair_colour=blonde|blond|brunette|redhead|ginger|bald}
"""
_NATURE = """
    {who} <be> [(naturally|very)] {handedness}
    {who} <write|bat|bowl|throw|play> (left-handed|with my left hand|left handed|leftie) -> handedness = left-handed
    {who} <be> (a|an) (lefty|leftie|southpaw) -> handedness = left-handed
    {who} <be> [(very much|definitely|really|more of)] (a|an) [(real|total|big|bit of a|definite|confirmed|complete|
        natural|hopeless|lifelong)] {trait=morning person|night owl|early bird|early riser|morning lark|lark|
        evening person|night person|dog person|cat person|people person|city person|country person|beach person|
        mountain person|introvert|extrovert|ambivert|homebody|bookworm|foodie|minimalist|perfectionist|worrier|
        worrywart|workaholic|night bird|creature of habit|light sleeper|heavy sleeper|deep sleeper|late riser|
        control freak|neat freak|hoarder|procrastinator|coffee person|tea person|coffee drinker|tea drinker|city
        girl|city boy|country girl|country boy|nature lover|animal lover|slow reader|fast learner|visual learner|
        picky eater|fussy eater|hopeless romantic|loner|party animal|social butterfly|wallflower|optimist|pessimist|
        realist|feminist|pacifist|environmentalist|monarchist|republican|insomniac|hypochondriac|technophobe|
        luddite|early adopter|night worker|shift worker|backseat driver|nervous flyer|nervous driver|good cook|
        terrible cook|strong swimmer|weak swimmer|non-smoker|non-drinker|teetotaller}
    {who} <be> [(quite|very|really|pretty|a bit|naturally|painfully|incredibly|rather|extremely|hopelessly|
        terribly)] {trait=introverted|extroverted|shy|clumsy|forgetful|disorganised|disorganized|impatient|a bit
        deaf|squeamish|ticklish|double-jointed|tone-deaf|tone deaf|competitive|superstitious|outgoing|bookish|
        absent-minded|short-tempered|sentimental|stubborn|tidy|messy|colour-blind}
    {who} <have> [(a|an)] {tattoo} tattoo
    {who} <have> [(a|an)] tattoo of [(a|an|the)] {tattoo}
"""
_BELIEFS = """
    {who} <be> [(a|an)] [(practising|practicing|devout|lapsed|committed|observant|non-practising|born-again|
        lifelong|converted|staunch|strict)] {religion}
    {who} <convert> to {+religion_to=islam|judaism|catholicism|christianity|buddhism|hinduism|sikhism|orthodoxy|the
        orthodox church}
    {who} <practise|practice|follow> {religion_to=islam|judaism|catholicism|christianity|buddhism|hinduism|sikhism|
        zen|paganism|wicca|quakerism|shinto}
    {who} <go|belong> to [(the|a|an|my)] [(local)] {church=church of england|church of scotland|catholic church|
        methodist church|baptist church|quaker meeting|gurdwara|synagogue|mosque|temple|hindu temple|mormon church|
        pentecostal church|greek orthodox church|anglican church|evangelical church|free church}
    {who} <vote> [(for)] [(the)] {votes=labour|conservative|tory|lib dem|liberal democrats|green|greens|snp|plaid
        cymru|democrat|democrats|republican|republicans|ndp|sinn féin|sinn fein|fine gael|fianna fáil|bjp|congress|
        aap|reform}
    {who} <be> (a|an) [(lifelong|paid-up|card-carrying|registered|floating|staunch|die-hard)] {votes=labour|
        conservative|tory|lib dem|green|snp|democrat|republican|libertarian|socialist|communist|anarchist|liberal|
        independent} [(voter|supporter|member|man|woman)]
"""
_DATES = """
    {my} (birthday|bday|birthdate|date of birth|dob|d.o.b.|birthday's date) <be|fall> [(on|always on|actually on)]
        {birthday}
    {who} <be> born (on|the) {birthday}
    {who} <turn> {_number} on {birthday}
    (birthday|birthdays|bday|dob|date of birth|born) [(is|:|on)] {birthday}
    put (my|down my) (date of birth|birthday|dob) down as {birthday}
    {birthday} <be> (my|our) (birthday|bday|big day)
    {birthday} <happen> to be my birthday
    (my|our) [(wedding)] anniversary <be|fall> [(on)] {anniversary}
    {anniversary} <be> (my|our) [(wedding)] anniversary
    {who} <be> (a|an) {star_sign} (sun|rising|by birth|and proud)
    {my} (star sign|zodiac sign|sign|sun sign) <be> {star_sign}
"""
_INTRODUCED = """
    {who} <be> {_some}, {age}[,] (and|from|living|working|based|married|single)…
"""
_CONTACTS = """
    {my} (email|e-mail|email address|work email|personal email|e-mail address|mail|gmail|email's) <be> [(still|
        now)] {email}
    {who} [(can be|are|is)] (reached|contacted|emailed|found) [(by email)] (at|on|via) {email}
    you can (reach|email|contact|mail|find|get|write to) me [(by email)] (at|on|via) {email}
    my new email is {email}
    {email} <be> my [(work|personal|new|best|main)] (email|e-mail|email address|address)
    {my} (phone number|number|mobile|mobile number|cell|cell number|phone|telephone number|landline|work number|
        whatsapp|cell phone number|new number) <be> [(now|still)] {phone_number}
    you can (call|ring|text|phone|reach|whatsapp|contact|message) me (at|on|via) {phone_number}
    {my} (surname|last name|family name|maiden name|second name) <be> [(spelled|spelt)] {surname}
    {my} (rent|mortgage|mortgage payment|monthly rent|rent's) <be> [(now|currently|about|around|roughly)] {rent}
    {who} <pay> [(about|around|roughly|just over|just under)] {rent} [(a|per)] [(month|week|year)] (in|for|on) rent
    {who} <pay> [(about|around|roughly|just over|just under)] {rent} (for|on) (my|our|the) (flat|room|rent|house|
        place|apartment|mortgage|studio)
    (the|our|my) rent <be> [(now|currently|about|around|roughly)] {rent}
    {my} (username|handle|user name|gamertag|twitter handle|instagram handle|github username|insta|discord) [(on
        {_word})] <be> {username}
"""

PERSON = (
    *told(_SIZES),
    *told(_NATURE),
    *told(_BELIEFS),
    *told(_DATES, Aspect.PAST),
    *told(_INTRODUCED),
    *told(_CONTACTS),
)
