"""What people like and don't, prefer, fear and are fans of."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_LIKES = """
    {who} <have> [(a|an|such a|quite a)] [(real|huge|massive|big|bit of a|total|serious|major|secret|slight)] (soft
        spot|weakness|thing|passion|love|fondness|penchant|addiction|craving|appetite|taste|affinity|liking|crush)
        (for|on|to|of) {likes}
    {who} <be> [a] [(complete|total|real|bit of a|massive|huge|big|proper|self-confessed|lifelong)] (sucker|addict|
        devotee|enthusiast|lover|nut|nerd|geek|buff|fanatic|fiend) (for|of|about) {likes}
    {who} <be> [(a|an)] [(massive|huge|big|long-time|lifelong|total|die-hard|avid|real|great|devoted|proper|keen)]
        fan of {likes}
    {who} <be> (into|mad about|mad for|mad on|crazy about|nuts about|nuts for|wild about|passionate about|obsessed
        with|obsessed by|hooked on|fond of|keen on|partial to|addicted to|big on|enamoured with|smitten with|
        devoted to|in love with|enthusiastic about|a sucker for|all about|head over heels for|all over|big into|mad
        keen on|fierce fond of|gone on|daft about|potty about) {likes}
    {who} <get> [(a|such a|a real|a huge)] (kick|buzz|lot of joy|lot of pleasure|thrill) (out of|from) {likes}
    {who} <be> (getting|gotten|got|become) [(really|quite|very|seriously)] into {likes}
    {who} <get> [(really|quite|very|properly|seriously|big)] into {+likes}
    {who} <fall> in love with {likes}
    {who} (can't|cannot|can not|could never|can never|couldn't) (get enough of|do without|live without|resist|say
        no to|go a day without|go without) {likes}
    {who} could (eat|drink|listen to|watch|read|play) {likes} (all day|every day|forever|for the rest of my life|
        for days|for hours|until the cows come home)
    {who} could (live on|survive on|live off) {likes}
    {who} <love|adore|enjoy|like|fancy|relish|treasure|cherish|admire|worship> nothing (more|better) than {likes}
    {who} <find> {likes} [(so|really|very|incredibly|deeply|quite|endlessly|hugely|most)] (relaxing|fascinating|
        calming|therapeutic|soothing|delicious|delightful|beautiful|addictive|exciting|interesting|rewarding|fun|
        wonderful|meditative|enjoyable|satisfying|comforting)
    {who} <be> never happier than (when|when I'm|when I am|when we're) {likes}
    {who} <be> (happiest|at my happiest|in my element|most relaxed|at my best) (when|when I'm|when I am|when we're|
        while) {likes}
    {who} <think> the world of {likes}
    {who} <take> [(great|real|a lot of|huge|immense|much)] (pleasure|delight|joy|pride) in {likes}
    {who} <derive> [(great|real|a lot of|huge|immense|much)] (pleasure|joy|satisfaction) from {likes}
    {who} <enjoy|like|love|appreciate|savour|savor> [(a|the odd|the occasional|nothing like|a good|a bit of|a spot
        of|a nice)] (good|bit of a|spot of|bit of|occasional) {likes}
    {who} <do> [(really|quite|absolutely|rather|so)] (adore|love|like|enjoy|appreciate) [(a|an|the)] {likes}
    {who} <rate|dig|adore|relish|cherish|treasure|fancy|savour|worship|idolise|idolize|heart> {likes}
    {who} <have> always (loved|liked|adored|enjoyed|been into|been fond of|been keen on|been mad about|had a thing
        for|had a soft spot for|been a fan of) {likes}
    {who} <have> been (hooked on|obsessed with|into|mad about|a fan of|crazy about) {likes}
    {who} <be> (a|an|such a|quite a|more of a|definitely a|very much a|very much an|basically a|total|big) [(real|
        big|huge|total|massive|true)] {likes} (lover|fan|enthusiast|fanatic|nerd|geek|nut|buff|addict|aficionado|
        obsessive|fiend|junkie|guy|girl|gal|freak|connoisseur)
    {who} <swear> by {likes}
    {who} <rave> about {likes}
    {who} <be> [(so|really|very|totally)] here for {likes}
    {who} <be> [(a|an)] (avid|keen|passionate|enthusiastic|serious|dedicated|committed|amateur|hobby) {hobby=reader|
        gardener|cook|baker|photographer|birdwatcher|birder|runner|cyclist|swimmer|hiker|walker|climber|skier|
        surfer|golfer|angler|fisherman|gamer|knitter|sewer|painter|potter|woodworker|astronomer|beekeeper|sailor|
        rower|chess player|tennis player|footballer|collector|traveller|traveler|crocheter|forager|brewer|writer|
        dancer|singer|pianist|guitarist}
    nothing <beat|top> [(a|an|some)] [(good|nice|proper|decent)] {likes}
    nothing <make> {me} [(quite|so)] (happy|happier|happy like|as happy as|smile like|feel better than) [than] [as]
        {likes}
    nothing <make> {me} [quite] (happier|as happy) (than|as) {likes}
    nothing <relax|cheer|calm|please|delight|excite> {me} [up] (more than|like|quite like|as much as) {likes}
    there's nothing [(quite|better|like|that beats|I love more than|I like more than|I enjoy more than|I like
        better than|better than|quite like)] [(a|an)] [good] {likes}
    there (is|'s) nothing (I|we) (love|like|enjoy|want) (more|better) than {likes}
    {likes} <make> {me} [(so|really|very|incredibly|ridiculously)] (happy|smile|tick|feel alive|feel better)
    {likes} <bring> {me} [(so much|a lot of|great|real|pure|immense|endless)] (joy|pleasure|happiness|peace)
    {likes} <be> [(totally|really|so|very much|right|just|basically|absolutely)] (up my street|up my alley|my thing|
        my jam|my happy place|my passion|my first love|my guilty pleasure|my kind of thing|my obsession|my bag|my
        comfort food|my drug of choice|my one true love|my weakness|my kryptonite|my cup of tea|my great love|the
        love of my life|my favourite thing|my favorite thing|what I live for|my addiction|my great passion|my
        greatest pleasure|my biggest passion|my life|right up my street)
    {likes} <be> [(the)] [best] (heaven|bliss|pure joy|the best thing ever|what gets me up in the morning|what
        keeps me sane|where my heart is|close to my heart|second to none)
    {likes} <be> the (thing|only thing|one thing|sport|food|subject|hobby) (I|we) [(really|most)] (love|like|enjoy|
        adore|look forward to) [(most|best|the most)]
    {likes} <keep> {me} (sane|going|happy|calm|grounded)
    {likes} <do> it for me
    {likes} <have> my heart
    {likes} <hold> a special place in my heart
    {likes} (float|floats|rock|rocks) my (boat|world)
    {likes} (tickles|tickle) my fancy
    {likes} <appeal> to {me}
    {likes} <give> {me} [(so much|a lot of|great|real|immense|endless|a real|a huge|such)] (pleasure|joy|a buzz|a
        kick|buzz|thrill)
    {likes} <relax|delight|fascinate|captivate|enchant|intrigue|thrill|excite|soothe> {me}
    (what|the thing|one thing|the one thing|something|all) [that] (I|we) [(really|most|truly|absolutely|always)]
        <love|like|enjoy|adore|cherish|treasure|look forward to> [(most|best|the most|more than anything)] <be>
        {likes}
    my (passion|passions|great love|first love|guilty pleasure|guilty pleasures|obsession|latest obsession|current
        obsession|weakness|comfort food|biggest passion|greatest passion|greatest joy|happy place|vice|one vice|
        only vice|true love) (is|are|has always been|have always been|remains) {likes}
    you (can't|cannot) beat [(a|an|some)] [good] {likes}
    {likes} for the win
    {likes} ftw
    {who} <love|like|enjoy|adore> {likes} (to bits|to pieces|so much|with a passion|more than anything|more than
        life itself|with all my heart|a lot|to death|immensely|enormously|greatly|heaps|loads)
    {who} <have> a (sweet tooth|green thumb|green finger) -> likes = sweets
"""
_LOVED_BEST = """
    the {_word} (I|we) [(most)] (admire|love|like|adore|enjoy|revere|respect) [(the)] (most|best) (is|would be|has
        to be|remains) {likes}
    the {_word} {_word} (I|we) [(most)] (admire|love|like|adore|enjoy|revere|respect) [(the)] (most|best) (is|would
        be|has to be|remains) {likes}
"""
_DISLIKES = """
    {who} <hate|loathe|detest|despise|abhor|resent|dread> {dislikes} (with a passion|with every fibre of my being|
        with a vengeance|so much|more than anything|to bits)
    {who} <loathe|detest|despise|abhor|resent|dread> {dislikes}
    {who} <have> [(a|an)] [(real|strong|deep|huge|lifelong|intense|visceral|pathological)] (aversion to|dislike of|
        dislike for|hatred of|hatred for|loathing of|loathing for|distaste for|horror of|thing against) {dislikes}
    {who} <be> (averse to|allergic to the idea of|sick of|sick and tired of|fed up with|fed up of|bored of|bored by|
        bored with|put off by|disgusted by|revolted by|repulsed by|irritated by|annoyed by) {dislikes}
    {who} <find> {dislikes} [(so|really|very|quite|pretty|rather|deeply|incredibly|a bit|absolutely|utterly|
        completely)] (boring|dull|annoying|disgusting|tedious|gross|irritating|unbearable|revolting|vile|
        insufferable|awful|overrated|exhausting|repulsive|off-putting|nauseating|grim|rank|minging|boke-inducing)
    {who} (can't|cannot|can not|cant|cannae|can't even|couldn't|could never|can never) [(really|quite|just)] (stand|
        bear|abide|stomach|tolerate|stick|deal with|be doing with|hack|handle) {dislikes}
    {who} (can't|cannot|can not|cant|cannae|couldn't) [(really|quite|just)] (abide|stomach|stick|be doing with|be
        dealing with|be having|get on with|get into|get behind|see the appeal of|see the point of|see the
        attraction of|get along with|warm to|take to|be arsed with|be bothered with) {dislikes}
    {who} (could|can) (do without|live without|happily never see) {dislikes} [again] [ever]
    {who} (won't|wouldn't|will not|would not|would never|refuse to|refuses to) (touch|go near|eat|drink|watch|set
        foot in) {dislikes} (with a bargepole|with a barge pole|with a ten-foot pole|with a ten foot pole|if you
        paid me)
    {who} <have> (no time for|zero time for|no patience for|no patience with|no interest in|zero interest in|little
        interest in|zero patience for|little time for|no love for|no great love of|no use for|zero tolerance for|no
        appetite for|no truck with) {dislikes}
    {who} <steer|stay|keep> [well] (clear|away) (of|from) {avoids}
    {who} <give> {avoids} a (wide|miss) [berth]
    {dislikes} <give> {me} the (ick|creeps|heebie-jeebies|willies|boak|dry boke|shivers|fear)
    {dislikes} <drive> {me} [(absolutely|completely|totally)] (mad|crazy|insane|nuts|up the wall|bonkers|round the
        bend|to distraction|spare|bananas|bats|batty|potty|mental)
    {dislikes} <bore|annoy|irritate|repulse|disgust|irk|bug|infuriate|enrage|sicken|revolt|nauseate|gall|grate|
        appal> {me} [(to tears|to death|no end|stiff|senseless|rigid|so much|silly)]
    {dislikes} <make> {me} [(want to|wanna|feel)] (gag|retch|sick|heave|cringe|shudder|vomit|puke|barf|boke|queasy|
        angry|furious|scream|see red|miserable|my skin crawl|ill|rage)
    {dislikes} <make> my (skin crawl|blood boil|toes curl|stomach turn|flesh creep)
    {dislikes} <get> (on my nerves|on my wick|under my skin|my goat|on my tits|up my nose|on my goat|my back up|me
        down|right on my nerves|on my last nerve)
    {dislikes} <rub> {me} up the wrong way
    {dislikes} <do> {my} head in
    {dislikes} <set> my teeth on edge
    {dislikes} <turn> {me} off
    {dislikes} <turn> my stomach
    {dislikes} <put> {me} off
    {dislikes} <leave> {me} cold
    {dislikes} <do> nothing for {me}
    {dislikes} <get> on {my} nerves
    {dislikes} <wind> {me} up
    {dislikes} <tick> {me} off
    {dislikes} <freak> {me} out
    {dislikes} <gross> {me} out
    {dislikes} <weird> {me} out
    {dislikes} <stress> {me} out
    {dislikes} <be> [(a|an|such a|my|definitely|the)] [(pet|real|total|huge|massive|personal)] (pet peeve|peeve|
        turn-off|turn off|bugbear|bête noire|bete noire|bane of my life|bane of my existence|pet hate|no-no|idea of
        hell|worst nightmare) [of mine]
    {dislikes} <be> [(a)] (hard pass|no from me|no-go for me|dealbreaker|no-go|dealbreaker for me)
    {dislikes} [(can|could)] (get in the bin|do one|go in the bin|jog on)
    (what|the thing|one thing|the one thing|something|nothing|all) [that] <irritate|annoy|bother|bug|infuriate|irk|
        enrage|sicken|frustrate> {me} [(the)] [(most|more)] [than] <be> {dislikes}
    (what|the thing|one thing|the one thing|something) [that] <irritate|annoy|bother|bug|infuriate|irk|enrage|
        sicken|frustrate> {me} [(most|the most|more than anything)] <be> {dislikes}
    (what|the thing|one thing|the one thing|something) [that] (I|we) [(really|most|absolutely|truly)] (hate|dislike|
        can't stand|cannot stand|can't bear|loathe|detest|can't abide|could do without|won't tolerate) [(most|the
        most|more than anything)] (is|are) {dislikes}
    (what|the thing|one thing|the one thing|something) [that] <get> (on my nerves|me down|my goat|under my skin|on
        my wick|to me) [(most|the most)] (is|are) {dislikes}
    (what|the thing|one thing|the one thing|something) [that] <drive> {me} (mad|crazy|up the wall|insane|nuts|round
        the bend) [(most|the most)] (is|are) {dislikes}
    my [(biggest|number one|main|only|greatest|one|absolute)] (pet peeve|pet peeves|peeve|bugbear|pet hate|bête
        noire|turn-off|turn offs|dislike|dislikes|bane) (is|are|has to be|has always been|would be) {dislikes}
    {dislikes} (leave|leaves) a bad taste in my mouth
    {dislikes} (taste|tastes|smell|smells) (like|of) (soap|fairy liquid|feet|dirt|mud|cardboard|sick|vomit|socks|
        metal|washing up liquid)
"""
_NOT_LIKED = """
    {who} <not be> [(a|an|such a|much of a|really a|exactly a|the biggest|one for|into|really|at all)] [(big|huge|
        great|massive|real|major)] (fan of|fan|lover of|one for|into|keen on|fond of|crazy about|mad about|mad on|
        wild about|bothered about|interested in|sold on|partial to|impressed by|enamoured with|big on|drawn to|
        fussed on|enthusiastic about) {dislikes}
    {who} <not be> (much|really|a|big|much of a|really a|exactly a|a big|a huge) [(big|huge|great)] {dislikes}
        (person|fan|guy|girl|gal|lover|enthusiast|man|woman|drinker|eater|kind of person)
    {who} <not care> [(much|a lot|a great deal|a jot)] for {dislikes}
    {who} <not be> [(a)] (big|huge|massive) on {dislikes}
    {who} <not see> the (appeal|point|attraction|fun) (of|in) {dislikes}
    {who} <not understand|get> the (appeal|hype|fuss|point) (of|around|about|behind|over) {dislikes}
    {who} <not take> to {dislikes}
    {who} <not warm> to {dislikes}
    {who} <not get> on with {dislikes}
    {who} <not get> [(really|much)] into {dislikes}
    {who} <not get> along with {dislikes}
    {who} <not acquire|develop|have> [(a|the|any|much of a|much)] (taste|liking|love|appetite|enthusiasm|time|
        patience|interest|fondness|stomach) (for|in) {dislikes}
    {who} <not see|find> {dislikes} [(at all|remotely|very|particularly|all that|that|in the least)] (appealing|
        interesting|fun|enjoyable|funny|exciting|attractive)
    {who} <not rate> {dislikes}
    {who} <not go> in for {dislikes}
    {who} <not go> (much|a bundle) on {dislikes}
    {dislikes} <not be> [(really|exactly|quite|at all|ever|just)] (my thing|my cup of tea|my jam|for me|my bag|my
        kind of thing|my scene|my favourite|my favorite|my vibe|my idea of fun|up my street|my strong suit|my style|
        my strong point|my idea of a good time|my forte|one of my favourites)
    {dislikes} <not do> [(it|anything|much|a lot)] [(it|anything)] for me
    {dislikes} <not agree|sit well|appeal> (with|to) {me}
    {dislikes} <not appeal|interest|float|rock|impress> [(to)] (me|my boat)
    {dislikes} <not work> for me
"""
_PREFERENCES = """
    {who} (would|'d) (rather|sooner) (have|get|take|use|drink|eat|read|watch|drive) {preference} than {_some}
    {who} (would|'d) (rather|sooner) {preference} than {_some}
    {who} <prefer|favour|favor> {preference} (to|over|rather than|instead of|above) {_some}
    {who} <like> {preference} (better|more) than {_some}
    {who} <like> {preference} (best|most|the best|the most)
    {who} <favour|favor> {preference}
    {who} (will|'ll|would|'d) (always|usually|generally|typically|invariably) (choose|pick|take|go for|opt for|go
        with|plump for) {preference} (over|rather than|instead of|before|above) {_some}
    {who} (will|'ll|would|'d) (always|usually|generally|typically|invariably) (choose|pick|take|go for|opt for|go
        with|plump for) {preference}
    {who} <choose|pick|take> {preference} (over|rather than|instead of|before|above) {_some} (any day|every time|
        any time|always|anytime|each time|any day of the week)
    {who} <go> for {preference} (over|rather than|instead of) {_some}
    {who} <tend> (to go for|to prefer|to pick|to choose|towards|toward|to opt for|to favour|to favor|to stick to|to
        stick with) {preference}
    {who} <gravitate|lean|incline> (to|towards|toward) {preference}
    {who} <have> [(a)] [(strong|slight|clear|definite|marked|firm|decided|mild)] preference for {preference}
    {who} <be> [(a|an|more|more of a|more of an|definitely a|definitely more of a|very much a|firmly|team|strictly
        a)] {preference} (person|man|woman|guy|girl) (rather than|not|over|more than|instead of) {_some}
    {who} <be> team {preference}
    {who} <be> [(firmly|very much)] (on team|in the) {preference} (camp|all the way)
    {preference} <suit> {me} [(much|far|a lot)] (better|best|more) [(than)] [{_some}]
    {preference} <work> [(much|far|a lot)] (better|best) for {me}
    {preference} <win> [(out)] (over|against) {_some} [(for me|every time|hands down|any day)]
    {preference} <beat|trump> {_some} (any day|every time|hands down|for me|in my book|any day of the week)
    {preference} <be> (what|the one) (I|we) [(always|usually|generally)] (choose|pick|prefer|go for|opt for|use|go
        with|order|drink) [(in every {_word}|every time|everywhere|always)]
    {preference} <be> my (preference|preferred option|go-to|default|first choice|usual|preferred choice|go-to order|
        usual order|choice|weapon of choice|drink of choice|poison of choice|tipple of choice|method of choice)
    {preference} <be> (preferable|better|easier|best) for {me}
    my (preference|first choice|go-to|usual|default|usual order|go-to order|drink of choice|tipple|preferred option|
        tipple of choice|go-to drink|weapon of choice|poison|drink|regular order) (is|would be|has always been|
        tends to be|remains|will always be) [(for)] {preference}
    (when it comes to|as for|for|in terms of|on|with|regarding) {_some}, [(I'm a|I'm|give me|it's|it has to be|it's
        got to be|I'll take|it's always|make mine|I'd go for|I go for|I go with|I always go for|I'd pick|I pick|I
        choose|it'd be)] {preference} (any day|all the way|every time|over {_some}|hands down|wins over {_some}
        [for me]|wins [for me]|beats {_some} [for me])
    {preference} over {_some}, (any day|every time|always|for me)
    {preference} (all the way|every time|hands down)
"""
_FEARS = """
    {who} <be> [(absolutely|properly|a bit|pure|dead|totally|quite|so)] (afraid|scared|terrified|frightened|
        petrified|phobic|scared stiff|scared to death|scared witless|mortally afraid|deathly afraid|feart|afeared)
        [(of|about|by)] {fears}
    {who} <have> [(a|an)] [(real|terrible|huge|massive|bad|serious|crippling|irrational|lifelong|mild|mortal|morbid|
        big)] (fear of|phobia of|phobia about|terror of|horror of|thing about|dread of) {fears}
    {who} <fear|dread> {fears}
    {who} <suffer> from (a fear of|a phobia of) {fears}
    {who} <be> {fears=claustrophobic|arachnophobic|agoraphobic|acrophobic|aerophobic|emetophobic|trypanophobic|
        hydrophobic}
    {who} <have> {fears=claustrophobia|arachnophobia|agoraphobia|vertigo|emetophobia|trypophobia|stage fright|
        coulrophobia|aerophobia}
    {who} (can't|cannot|can not) (be around|be in the same room as|go near|look at) {fears}
    my (biggest|greatest|worst|main|one|only|number one|secret) (fear|phobia|terror) (is|has always been|would be)
        {fears}
    {fears} <scare|terrify|frighten|petrify|spook|creep> {me} [(out|to death|half to death|stiff|silly|witless|
        shitless|the life out of me)]
    {fears} <scare|frighten> the (life|hell|crap|living daylights|bejesus|pants|bejaysus|shit) (out of|off) {me}
    {fears} <be> my (worst|biggest|greatest) (nightmare|fear|phobia)
    {fears} <fill> {me} with (dread|terror|fear|horror)
    {fears} <put> the (fear of god|wind up) (into|in) {me}
"""
_FANS = """
    {who} <support|follow|root for|cheer for> {supports}
    {who} <be> [(a|an)] [(massive|huge|big|lifelong|long-suffering|die-hard|proper|true|mad|keen|loyal|devoted)]
        {fan_of} (fan|supporter|season ticket holder|fanatic|ultra|season-ticket holder)
    {who} <barrack> for {supports}
    {who} <go> for {supports} in the {_some}
    {who} <have> [(a|an)] season ticket [(at|for|to)] {supports}
    my (team|club|football team|footy team|rugby team|side|baseball team|local team|boyhood club) (has always been|
        are|will always be|happens to be) {supports}
    {who} <bleed> {_word} for {supports}
"""

LIKES = (
    *told(_FANS),
    *told(_LIKES),
    *told(_LOVED_BEST, Aspect.GIVEN),
    *told(_DISLIKES),
    *told(_NOT_LIKED),
    *told(_PREFERENCES),
    *told(_FEARS),
)
