"""What people do on their days: habits, hobbies, sport and music, what they learn and when they get up."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_MUSIC = """
    {who} <play> [(the|a bit of|some|a little|lead|rhythm|a mean)] {plays_instrument} [(in|for|with|at|every|since|
        to|on|professionally|a bit|badly|these)]…
    {who} <play> [(the|a bit of|some|a little|lead|rhythm)] {plays_instrument}
    {who} <learn|study|practise|practice> [(how to play|to play)] [the] {plays_instrument}
    {who} <take|have> {plays_instrument} lessons
    {who} <be> (a|an|the) [(classical|jazz|session|amateur|keen|professional|decent|terrible|self-taught)]
        {musician=pianist|guitarist|violinist|cellist|drummer|bassist|flautist|flutist|trumpeter|saxophonist|
        clarinettist|harpist|organist|percussionist|fiddler|piper|trombonist|accordionist}
    {who} <strum|bang out a tune on|tinkle on|noodle on> [(the|my|a)] {plays_instrument}
    {who} <be> [(a)] [(first|second|lead|principal)] {plays_instrument} (player|in the {_some})
    {who} <sing> {sings} (in|with|for) [the] {sings_with}
    {who} <sing> (in|with|for) the {sings_with}
    {who} <sing> {sings}
    {who} <play> {position} (for|in)…
    {who} <be> (a|an|the) [(amateur|keen)] {sings} (in|with)…
    my instrument <be> [the] {plays_instrument}
    {plays_instrument} <be> my (instrument|main instrument|first instrument)
"""
_SPORT = """
    {who} <play> [(a bit of|some|competitive|semi-pro|semi-professional|amateur|casual|professional|county|league|
        five-a-side|wheelchair|walking|local|club|college)] {plays_sport} [(on|every|for|with|at|in|twice|once|most|
        since|three|these|down|after|as)]…
    {who} <play> [(a bit of|some|competitive|semi-pro|semi-professional|amateur|casual|professional|county|league)]
        {plays_sport}
    {who} <play> {position} (for|in|at|on|at weekends)…
    {who} <play> (in|for) [(a|an|the|my|our)] {_some} (team|league|side|club) [(called {plays_for})]
    {who} <play|row|run|swim|race|fight|skate|ride|bowl|sail|wrestle> for {plays_for}
    {who} <do|practise|practice|train|train in|teach|go|be into|take|love doing> [(a bit of|some|lots of|
        competitive|amateur|casual|regular|weekly|hot|wild|indoor|outdoor|sea|open water|open-water|cold water|
        long-distance|fell|trail|road|mountain|ballroom|latin|stand-up)] {hobby=yoga|pilates|karate|judo|taekwondo|
        jiu-jitsu|jiu jitsu|bjj|kickboxing|boxing|muay thai|krav maga|kung fu|tai chi|aikido|fencing|archery|
        crossfit|zumba|spin|spinning|parkrun|triathlons|marathons|ballet|tap|salsa|tango|swing dancing|ceilidh
        dancing|gymnastics|trampolining|calisthenics|weightlifting|powerlifting|climbing|bouldering|caving|
        potholing|kayaking|canoeing|rowing|sailing|surfing|windsurfing|kitesurfing|paddleboarding|wild swimming|sea
        swimming|running|swimming|cycling|hiking|hillwalking|mountain biking|skiing|snowboarding|skating|ice
        skating|roller skating|skateboarding|horse riding|horseriding|dressage|showjumping|gardening|pottery|
        ceramics|calligraphy|origami|embroidery|knitting|crochet|crocheting|quilting|sewing|weaving|macrame|
        woodwork|woodworking|woodturning|whittling|painting|watercolours|life drawing|sketching|drawing|photography|
        film photography|birdwatching|birding|stargazing|astronomy|geocaching|orienteering|metal detecting|fishing|
        fly fishing|angling|beekeeping|foraging|baking|home brewing|homebrewing|brewing|improv|stand-up|stand-up
        comedy|amateur dramatics|am dram|larping|cosplay|model railways|model trains|trainspotting|bell-ringing|
        bell ringing|morris dancing|genealogy|crosswords|sudoku|jigsaws|puzzles|meditation|capoeira|parkour|gurning|
        scuba diving|diving|freediving|skydiving|paragliding|gliding|dancing|singing|blacksmithing|leatherwork|
        glassblowing|soap making|candle making|scrapbooking|bouldering}
    {who} <go> {hobby=running|swimming|jogging|cycling|climbing|hiking|bouldering|dancing|surfing|sailing|skiing|
        birdwatching|fishing|kayaking|rowing|foraging|camping|rock climbing|hillwalking|horse riding|wild swimming|
        sea swimming|skating|metal detecting|geocaching|to yoga|to pilates|to spin class|to crossfit|spinning}
        (every|most|on|twice|once|three times|a lot|regularly|daily|each|in the morning|in the mornings|in the
        evenings|before work|after work|whenever|at weekends|at the weekend|at weekends|with my|with a|loads|all
        the time|nearly every|four times|several times)…
    {who} <take> up {+hobby=yoga|pilates|karate|judo|boxing|fencing|archery|climbing|bouldering|kayaking|rowing|
        sailing|surfing|running|swimming|cycling|hiking|skiing|skating|gardening|pottery|calligraphy|embroidery|
        knitting|crochet|quilting|sewing|weaving|woodwork|woodworking|carpentry|painting|sketching|drawing|
        photography|birdwatching|astronomy|fishing|beekeeping|foraging|baking|brewing|improv|meditation|dancing|
        salsa|tango|golf|tennis|squash|chess|padel|bridge|bowls|paragliding|scuba diving|wild swimming|sea swimming|
        cross-stitch|origami|ceramics|life drawing|ballet}
    {who} <take> up {+hobby} (in lockdown|during lockdown|last|in|when|after|again|this|as a)…
    {who} (paint|paints) (in|for|landscapes|watercolours|portraits|at)… -> hobby = painting
    {who} (unwind|relax|switch off|de-stress|wind down|recharge) [(best|most)] (by|with|through) {hobby}
    {my} [(main|biggest|only|favourite|favorite|new|latest|weekend|current|big|other)] (hobby|hobbies|pastime|
        pastimes|interest|interests) <be> [(currently|now|mostly)] {hobby}
    {hobby} <be> (my|one of my|a) [(main|biggest|only|favourite|favorite|new|latest|weekend|current|big)] (hobby|
        hobbies|pastime|pastimes|hobby of mine|interest of mine|pastime of mine)
    for fun[,] (I|we) [(usually|mostly|like to|love to)] {hobby=knit|paint|bake|climb|swim|run|cycle|hike|garden|
        sew|draw|sing|dance|read}
    {who} <collect> [(old|vintage|rare|antique|antiquarian)] {collects}
    {who} <have> a collection of {collects}
    {who} <have> a [{_word}] {collects} collection
    {who} <be> a [(keen|avid)] {collects} collector
    {who} <keep|breed|raise|rear> {keeps}
    {who} <support|follow> {supports} [(home and away|through thick and thin|since)]…
    {who} <train|study|practise|practice|prepare|revise> for [(a|an|the|my|his|her)] {training_for}
"""
_LEARNING = """
    {who} <learn|pick up|study|brush up on|work on> [(how to|to speak|to read|a bit of|some|basic|my)]
        {learning=piano|guitar|violin|drums|cello|ukulele|saxophone|flute|to drive|to sew|to knit|to code|to cook|
        to swim|to juggle|drive|sew|knit|code|sign language|cook|swim|juggle|calligraphy|morse code|braille|touch
        typing|shorthand}
    {who} <learn|study|brush up on|work on> [(to speak|to read|a bit of|some|basic|conversational|my)]
        {learning_language} [(on|with|through|using|at|in|for|since|as|because|from|,)]…
    {who} <learn> {_word} (on|with|through|using|via) {uses_tool}
    {who} <learn|study> [(to speak|a bit of|some)] {learning_language}
    {who} <take|have|do> {learning_language} (lessons|classes|evening classes)
    {who} <sign> up for {+learning_language} (evening classes|classes|lessons)
    {who} <speak|know|understand|be fluent in|be conversational in> [(some|a bit of|a little|fluent|basic|decent|
        rusty|pidgin|passable|broken|good|excellent|native|conversational|perfect|a sort of|schoolboy|schoolgirl|
        terrible|kitchen|only|mostly|both)] {speaks}
    {who} <be> [(also)] (fluent|conversational|proficient|bilingual|trilingual|native) [(in|speaker of)] [both]
        {speaks}
    {who} <be> (a|an) [(native|fluent|heritage)] {speaks} speaker
    {speaks} <be> (my|our) (mother tongue|first language|native language|native tongue|second language|home
        language|third language|strongest language|mother language)
    my (mother tongue|first language|native language|native tongue|second language|home language|third language)
        <be> {speaks}
    at home we [(mostly|mainly|usually|only|all)] (speak|talk) {speaks}
    {who} <speak> {speaks} (at home|at work|with|to|fluently|as|natively|and)…
    my {speaks} <be> (rusty|decent|fluent|pretty good|okay|not bad|passable|basic|good|shaky|coming along|improving)
"""
_LEARNT = """
    {who} <pick> up {speaks} (at school|at|in|as|from|along|while|when)…
    {who} <grow> up speaking {speaks}
    {who} <be> raised (bilingual|speaking) [(in)] {speaks}
"""
_CRAFTS = """
    {who} (knit|knits) [(a lot|constantly|and|socks|jumpers|,)]… -> hobby = knitting
    {who} (crochet|crochets) [(a lot|constantly|and|,)]… -> hobby = crochet
"""
_ROUTINE = """
    {who} <wake|get|be> up (at|around|by|before) [(about|around|roughly)] {wakes_up_at}
    {who} <rise|be out of bed|be awake> (at|around|by|before) {wakes_up_at}
    {who} <set> my alarm for {wakes_up_at}
    my alarm <go> off at {wakes_up_at}
    my alarm <be> set for {wakes_up_at}
    {who} <go> to bed (at|around|by|before) [(about|around)] {bedtime}
    {who} <be> in bed (at|by|before) {bedtime}
    {who} <hit> the (sack|hay) (at|by|around) {bedtime}
    {who} <start|finish|clock on|clock off> work (at|around|by) {work_hours}
    {who} <take|drink|have|like|prefer> (my|his|her) coffee {coffee_preference}
    {who} <take|drink|have|like|prefer> (my|his|her) tea {tea_preference}
    {who} <go> to [the] {goes_to=gym|church|mass|mosque|temple|synagogue|therapy|choir practice|book club|yoga|pub
        quiz|parkrun|aa} (every|most|on|twice|once|three|four|regularly|religiously|each|before|after)…
    {who} <commute|travel to work|get to work|get about|get around|travel|go to work|go everywhere|get everywhere>
        [(to work|into town|everywhere|in|to the office)] (by|on|via|using) [(my|the|a)] {transport=bike|bicycle|
        train|bus|car|tube|metro|foot|tram|ferry|scooter|motorbike|e-bike|cargo bike|cargo trike|underground|subway|
        taxi|boat|moped|public transport|electric scooter|unicycle|wheelchair|coach|skateboard}
    {who} <work> out (every|most|twice|three|four|five|each|before|after|at|daily)… -> habit = working out
    {who} <bite> my nails -> habit = biting nails
    {who} <smoke> [(a pack|twenty|ten|forty|a few|roll-ups|rollies|cigars|a pipe)]… -> habit = smoking
    {who} <be> (a|an) [(heavy|social|light|occasional|ex|chain|reformed)] {habit=smoker|vaper|drinker|gambler}
    {who} <read|watch|rewatch|reread|be halfway through|work my way through> {reading} (at the moment|right now|
        these days|now|again|at present|for the)…
    {who} <walk> the dog (every|twice|before|each|at)… -> habit = walking the dog
"""
_INABILITIES = """
    {who} (can't|cannot|can not|couldn't|never could|can't really) {can} (to save my life|at all|for toffee|either|
        and|,|.|but|so|because|!)…
    {who} (can't|cannot|can not) {can}
    {who} (never learned|never learnt|never bothered learning|have never learned|have never learnt|'ve never
        learned|'ve never learnt) [how] to {can}
    {who} <not know> how to {can}
    {who} <not learn> [(how)] to {can}
"""

DAYS = (
    *told(_MUSIC),
    *told(_SPORT),
    *told(_LEARNING),
    *told(_LEARNT, Aspect.PAST),
    *told(_CRAFTS, Aspect.PAST),
    *told(_ROUTINE),
    *told(_INABILITIES, Aspect.DENIED),
)
