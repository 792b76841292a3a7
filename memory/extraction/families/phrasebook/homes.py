"""Where people live and come from, with whom, and where places are."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_IN_PASSING = """
    (since|after) [(I|we)] <move> [over] to {location}[,] (I|I've|I'm|we|my)…
    having grown up in {hometown}[,]…
"""
_HOMES = """
    {who} <live|reside|dwell|stay|board|lodge> [(out|over|up|down|just|right|not far)] [(in|near|outside|at|by|
        around|off)] [of] {location}
    {who} <live|reside> [(just|right|a bit|not far)] (outside|outside of|near|close to|on the edge of|on the
        outskirts of|north of|south of|east of|west of|in the suburbs of|in the centre of|in the center of|in the
        heart of|in central|in downtown|in a village near|in a town near|in a small town near|in a flat in|in a
        house in|in an apartment in|in a cottage in|in a village in|in a small town in|in a shared house in|in a
        studio in|on a farm in|on a farm near|on a boat in|on a narrowboat near|on a houseboat in|half an hour from|
        an hour from|ten minutes from|twenty minutes from) {location}
    {who} <call> {location} [(my|our)] home
    {who} <be> [(currently|now|still|mostly|permanently|temporarily)] (based|living|residing|settled|located|
        situated|domiciled|stationed|holed up|staying) (in|at|near|out of|just outside|around|over in|up in|down in|
        out in) {location}
    {who} <make> [(my|our|their|his|her)] home in {location}
    {who} <rent|share> (a|an|the|my|our) [{_word}] (room|studio|flat|house|place|apartment|cottage|bedsit|condo|
        bungalow|farmhouse|terrace|duplex|loft|villa|unit) [(just)] (in|near|outside|on the edge of) {location}
    {who} <be> (a|an) [(proud|long-time|longtime|lifelong|recent|current|permanent)] (resident|inhabitant) of
        {location}
    {who} <be> (a|an) {location} (resident|local|dweller)
    {kin} <be> [(now|currently)] [(out|over|up|down)] in {location} [(now|these days|at the moment)]
    {who} <hang> (my|our) hat in {location}
    [{my}] (home|home base|home for me|current home|base|home these days|home now|home at the moment) <be>
        [(currently|now|still)] {location}
    [{my}] (home|home base|flat|house|place|apartment|gaff|digs|pad|cottage|crib|bedsit|condo) <be> [(just|right|
        located|out|over|up|down)] (in|near|outside|on the edge of|on the outskirts of|in the centre of|in the
        middle of) {location}
    for the (last|past) {_some} (my|our) home (has|'s) been {location}
    {location} <be> [(where)] (where I live|where we live|my home|our home|home for me|home these days|home now|
        where I'm based|my base|where I call home|where home is|where I hang my hat)
    {who} <live> on a {lives_in=narrowboat|houseboat|boat|canal boat|farm|smallholding|barge|ranch|commune|croft|
        sailing boat|yacht}
    {who} <live> in a {lives_in=van|caravan|tent|yurt|converted chapel|converted barn|houseshare|house share|shared
        house|shared flat|tiny house|camper van|campervan|motorhome|lighthouse|log cabin|studio flat|studio|
        bungalow|cottage|high-rise|tower block|council flat|static caravan|hostel|farmhouse|basement flat|flatshare|
        terraced house}
    home [(for me|for us)] <be> [(now|currently)] (a|an) {lives_in=narrowboat|houseboat|van|caravan|converted
        chapel|converted barn|yurt|bungalow|cottage|studio flat|tiny house|log cabin|farmhouse|flat share}
"""
_MOVED = """
    {who} <move|relocate|emigrate|transfer|shift|migrate|up sticks|decamp|defect|return|go back> [(back|over|out|up|
        down|away|here|house|home)] [(from)] [(from {-location})] to [(live in)] {+location}
    {who} <move|relocate> [(back|over|out|in)] [(in with my parents|in with my mum|in with my folks|home)] [(in|
        into|near)] {+location}
    {who} <settle> [(down|back)] (in|near|outside) {+location}
    {who} [eventually] <end> up (living|settling) in {+location}
    {who} <set> up home in {+location}
    {who} <leave> {-location} for {+location}
    {who} <move> (away from|out of|from) {-location}
"""
_ORIGINS = """
    {who} <be|come|hail> [(originally|all)] from {hometown}
    {who} originally from {hometown}
    {who} <be> (a|an) {hometown} (native|girl|boy|lad|lass|man|woman|local) [(born and bred|at heart|by birth|
        through and through)]
    {who} <be> [(born and)] (raised|bred|brought up|born and bred|born and raised|born and brought up|reared) (in|
        near|outside|just outside|on|on the island of|in a village near|in a small town near|in a village called|in
        the suburbs of|in a town called) {hometown}
    {who} <grow> up (in|near|outside|just outside|on|on the island of|in a village near|in a small town near|in a
        village called|in the suburbs of|between {_place} and|on a farm near|on a farm in|on a farm outside|in a
        village in|in a small town in) {hometown}
    {who} <spend> (my|our|his|her|all my|most of my) [(entire|whole|early)] (childhood|youth|teens|school years|
        formative years|early years) in {hometown}
    {who} <have> [(my|our)] roots in {hometown}
    {who} <be> (a native of|native to|a child of|a product of) {hometown}
    {my} (home town|hometown|birthplace|place of birth|native city|native town|home village) <be> [(in)] {hometown}
    {my} (family|people|parents|folks|roots|ancestors) <be|come|hail> [(originally|all)] (from|in) {family_origin}
    {who} <be> (half|part) {nationality}
    {who} <be> [(a)] [(proud|dual|naturalised)] {nationality} [(by birth|national|citizen|by descent|born and bred|
        through and through)]
    {who} <hold|have|travel on> [(a|an)] {nationality} (passport|citizenship|nationality)
    {who} <be> (a|an) [(dual|naturalised|proud|american)] {nationality} (citizen|national)
    {hometown} <be> (where I grew up|where I was born|where I'm from|my home town|my hometown|where we grew up|
        where I was raised|where I come from|my birthplace|my native city)
"""
_COMPANIONS = """
    {who} <live|share|stay> [(alone)] [(together)] with {lives_with=my parents|my mum|my dad|my mom|my grandparents|
        my gran|my nan|my sister|my brother|my girlfriend|my boyfriend|my partner|my husband|my wife|my in-laws|my
        aunt|my uncle|my kids|my family|my cousin|my best friend|my daughter|my son|two flatmates|three flatmates|
        two housemates|three housemates|two roommates|three roommates|a roommate|a flatmate|roommates|flatmates|
        housemates|friends|strangers|a friend|my mother|my father|my grandma|my fiancé|my fiancée|my dog|my cat}
    {who} <move> [back] in with {+lives_with=my parents|my mum|my dad|my mom|my grandparents|my gran|my nan|my
        sister|my brother|my girlfriend|my boyfriend|my partner|my husband|my wife|my in-laws|my aunt|my best
        friend}
    {who} <share> [(a|the|my|our)] [(small|tiny|big|two-bed)] (house|flat|apartment|place|room|home) with {lives_with}
"""
_ADDRESS = """
    {my} (address|home address|postal address|new address|mailing address|current address|delivery address|street
        address) <be> [(now|currently)] {address}
    {who} <live|be> at {address}
    {my} (postcode|zip code|zip|post code|postal code) <be> {postcode}
    {who} <live> on the {floor=ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|top|1st|2nd|
        3rd|4th|5th|6th|7th|8th|9th|10th|12th} floor
    (my|our) (flat|apartment|place|office|studio|condo) <be> on the {floor=ground|first|second|third|fourth|fifth|
        sixth|seventh|eighth|ninth|tenth|top|1st|2nd|3rd|4th|5th|6th|7th|8th|9th|10th|12th} floor
"""
_VISITING = """
    {who} <be> (visiting|flying in|coming|coming over|over|coming round|coming to stay|up|down) from {location}…
    {who} (have|'ve|has) lived in {location} (all|most of) (my|our|his|her) (life|lives)
    {who} (have|'ve|has) [(always)] lived in {location} (since|for)…
    {who} <be> (a|an) {_job} in {location}
    (as of|from|since) {_some}, [{my}] home (is|will be|'s) {location}
"""

HOMES = (
    *told(_IN_PASSING, Aspect.GIVEN),
    *told(_HOMES),
    *told(_MOVED, Aspect.EVENT),
    *told(_ORIGINS, Aspect.PAST),
    *told(_COMPANIONS),
    *told(_ADDRESS),
    *told(_VISITING, Aspect.PAST),
)
