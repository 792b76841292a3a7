"""What people use, own, drive and subscribe to."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_OURS = (
    "(everything|it all|all of it|our stuff|[(our|my|the|all our|all my|all the)] [{_word}] (database|"
    "databases|db|site|website|blog|repo|repos|code|ci|build|builds|email|emails|notes|hosting|infra|"
    "infrastructure|stack|data|pipeline|pipelines|app|apps|backend|frontend|service|services|docs|monitoring|"
    "logs|domain|domains|server|servers|deployment|deployments|tracker|calendar|passwords|photos|files|music|"
    "playlists|tests|accounts|books|secrets|tickets|cluster|staging|production|invoices|banking))"
)


_USES = f"""
    {{who}} <rely on|depend on|work with|code in|program in|develop in|write in|swear by> [(mostly|mainly|
        exclusively|only|plain|good old|the|my)] {{uses}} (for|at|to|on|with|as|every|instead|daily|because|when|
        since)…
    {{who}} <rely on|depend on|swear by> [(mostly|mainly|exclusively|only|plain|good old|the)] {{uses}}
    {{who}} <be on|rely on|run|work with> [(mostly|mainly|exclusively|only|plain|good old|the|my)]
        {{uses_tool}} (at|to|on|with|as|every|instead|daily|because|when|since|these|now|all|at work|at home)…
    {{who}} <rely on|depend on|swear by> [(mostly|mainly|exclusively|only|plain|good old|the|my)] {{uses_tool}}
    {{who}} <code|program|write|develop|work|build things|hack> [(mostly|mainly|exclusively|primarily)] in
        {{writes_in}}
    {{who}} <code|program|write|develop> (mostly|mainly|exclusively|primarily) {{writes_in}}
    {{who}} <write|do> [(mostly|mainly|exclusively|primarily|a lot of|a bit of|some)] {{writes_in}} (at work|for a
        living|by day|all day|day to day|these days|and|code)…
    {{who}} <host|run|deploy|keep|store|manage|track|do|build|test|edit|back up|monitor|handle|write> {_OURS} (on|
        with|in|to|via|through|using) {{uses}}
    {{who}} <keep|store|manage|track|plan|organise|organize|write> (my|our|all my|all our) {{_some}} (in|on|with|
        using) {{uses}}
    {{who}} <page|deploy|host|ship|log|alert|communicate|chat|meet|bank|shop|order|stream|blog|publish|edit|design|
        prototype> (with|through|via|on|using|in|to) {{uses}}
    {{who}} <bank|shop|be insured|stream> (with|at) {{bank}}
    {{who}} <be> (a|an|more of a|very much a) [(big|heavy|daily|long-time|longtime|power|happy|loyal|die-hard)]
        {{uses}} (user|man|woman|person|guy|girl|household|shop|convert|customer|house|subscriber)
    {{who}} <be> (with|on) {{uses}} (any more|anymore|any longer)…
    {{who}} <be> on (a|an|my|the) {{uses_model}} (with|running) {{uses_model}}
    {{who}} <be> on (a|an|my|the) {{uses_model}} [(now|these days|at the moment)]
    {{who}} <be> (a|an) [(big|heavy|daily|long-time|power|happy|loyal)] {{uses_tool}} (user|man|woman|person|guy|
        girl|household|shop|convert)
    the (laptop|phone|camera|editor|app|tool|tablet|bike|car|keyboard|browser|language|machine|watch|computer) (I|
        we) [(mostly|mainly|usually|currently)] (use|have|drive|ride|work on|own|run) [(for work|at work|at home|
        every day|most)] <be> [(a|an|the)] {{uses}}
    {{uses}} <be> (my|our) (editor|browser|tool|language|go-to|database|framework|daily driver|weapon) [(of choice)]
    (editor|browser|phone|os|laptop|language|stack|tools): {{uses}}
    (our|my|the) [(tech|current|whole)] stack <be> [(mostly|mainly)] {{uses}}
"""
_SWITCHED = f"""
    {{who}} <switch|migrate|change|convert> [(over|away|back)] from {{-uses}} to {{+uses}}
    {{who}} <switch|migrate|move|change|convert|jump> [(over|away|back)] from {{-uses_tool}} to {{+uses_tool}}
    {{who}} <switch|migrate|move|port|change|transfer|convert> {_OURS} [(over|away)] [(from {{-uses}})] to {{+uses}}
    {{who}} <switch|migrate> [(over|everything over|everything|all of it|across)] to {{+uses}}
    {{who}} <switch|migrate> [(over)] to {{+uses_tool}}
    {{who}} <replace|swap> {{-uses}} (with|by|for) {{+uses}}
    {{who}} <trade|ditch|drop|dump|abandon|swap|exchange|scrap> {{-uses}} (for|in favour of|in favor of) {{+uses}}
    {{who}} <trade|ditch|drop|dump|abandon|swap|exchange> {{-uses_tool}} (for|in favour of|in favor of) {{+uses_tool}}
    {{who}} <start> using {{+uses}}
    {{who}} <adopt|roll out> {{+uses}} (for|at|as|last|in|across|instead)…
    {{uses}} [now] (builds|runs|handles|hosts) everything [now]
"""
_DROPPED = """
    {who} <ditch|drop|dump|abandon|scrap|retire|uninstall|delete|bin|deactivate|get rid of|move off|migrate off|
        move away from> [(the|my)] {uses} (last|in|for good|because|after|years|this|entirely|completely|,|and|a|
        altogether|from|since|for|over|as)…
    {who} <ditch|drop|dump|abandon|scrap|uninstall|deactivate|migrate off|move off|move away from> [(the|my)] {uses}
    {who} <delete|deactivate|uninstall|quit|leave|come off|get off> [(my)] {uses_tool} [(account|app|for good|
        because|last|,)]…
    {uses} <be> [(now|being|finally)] (retired|decommissioned|switched off|turned off|scrapped|phased out|sunset)
        [(for good)]
"""
_DONE_WITH = """
    {who} <be> (done|finished|through) with {uses}
    {who} <cancel|unsubscribe from|end|stop|let lapse> [(my|our|the)] {subscription} (subscription|membership|
        account|plan|contract)
    {who} <cancel|unsubscribe from> [(my|our)] {subscription}
"""
_SUBSCRIBED = """
    {who} <subscribe|be subscribed> to [the] {subscribes_to}
    {who} <have|pay for|get> [(a|an|my)] {subscription} (subscription|membership|premium account)
    {who} <be> [(a)] {subscription} (subscriber|member|prime member)
"""
_OWNED = """
    {who} <have|own> [(a|an)] {owns=car|bike|bicycle|motorbike|motorcycle|moped|scooter|e-bike|van|campervan|camper
        van|caravan|motorhome|boat|sailing boat|narrowboat|dinghy|kayak|canoe|paddleboard|surfboard|yacht|horse|
        piano|grand piano|upright piano|electric guitar|acoustic guitar|guitar|violin|cello|drum kit|telescope|
        microscope|3d printer|sewing machine|loom|kiln|pottery wheel|greenhouse|allotment|shed|hot tub|sauna|
        swimming pool|trampoline|treadmill|rowing machine|exercise bike|peloton|log burner|wood burner|wood-burning
        stove|heat pump|solar panels|electric car|ev|tesla|hybrid|motorhome|holiday home|cottage|cabin|beach hut|
        static caravan|smallholding|vineyard|orchard|drone|dslr|mirrorless camera|film camera|record player|
        turntable|vinyl collection|gaming pc|games console|ps5|xbox|nintendo switch|steam deck|smart watch|apple
        watch|fitbit|kindle|ipad|macbook|chromebook|robot vacuum|air fryer|slow cooker|bread maker|espresso machine|
        dishwasher|tumble dryer|garden|balcony|loft|forklift|tractor|quad bike|cargo bike|cargo trike|tandem|
        unicycle|skateboard} [(and|,|in|on|at|which|that|called|for|from|with|but|to|,)]…
    {who} <drive|ride> [(a|an|my|our|this|around in a|around in an|about in a)] [(beat up|beat-up|battered|old|
        ancient|clapped-out|second-hand|secondhand|used|new|brand new|little|tiny|red|blue|white|black|silver|green|
        grey|yellow|trusty|rusty|knackered|vintage|classic|electric|hybrid|diesel|company|leased|beaten-up|big)]
        [(old|red|blue|white|black|silver|green|grey|little)] {drives}
    [the] {owns} in (the|my|our) {_word} <be> mine
    {who} <be> the (proud|happy|lucky|owner) [(owner|new owner|parent)] of [(a|an|two|three)] {owns}
"""
_ACQUIRED = """
    {who} <buy|get|acquire|purchase|inherit|pick up|treat myself to|invest in|splash out on|be given|win> [(myself|
        ourselves)] [(a|an|my|our|this|some)] [(new|second-hand|secondhand|used|brand new|old|shiny|lovely|
        vintage|cheap|my first|first|proper|little|small|big|electric)] {owns=car|bike|bicycle|motorbike|motorcycle|
        scooter|e-bike|van|campervan|camper van|caravan|motorhome|boat|narrowboat|kayak|canoe|paddleboard|surfboard|
        piano|guitar|ukulele|violin|cello|drum kit|banjo|accordion|telescope|3d printer|sewing machine|loom|kiln|
        greenhouse|hot tub|treadmill|rowing machine|exercise bike|log burner|heat pump|electric car|tesla|drone|
        record player|turntable|gaming pc|games console|ps5|xbox|kindle|ipad|macbook|robot vacuum|air fryer|slow
        cooker|espresso machine|coffee machine|chess set|tent|road bike|mountain bike|gravel bike|house|flat|
        cottage|laptop|camera|phone|printer|keyboard|synth|bass|sofa|tractor}…
    {who} <get> {me} [(a|an|some)] [(new)] {owns=ukulele|guitar|bike|car|watch|laptop|phone|tablet|kindle|drone|
        camera|record player|telescope|sewing machine|puppy|kitten} for (xmas|christmas|my birthday|our anniversary|
        my {_word})…
"""
_LOST = """
    {who} <sell|get rid of|give away|part with|scrap|write off|trade in|part-exchange|donate|total> (my|our|the)
        [(old|beloved|trusty|little)] {owns} (to|last|in|because|for|when|after|years|on|and|,|this|at|two|a|as|
        before)…
    {who} <give> up (my|our|the) {owns=allotment|car|flat|garden|boat|horse|bike|motorbike|caravan|studio|office|
        greenhouse|licence|driving licence}…
    (my|our|the) [(old)] {owns=car|fiesta|golf|bike|van|motorbike|boat|caravan|laptop|phone} <get|be> (stolen|
        nicked|written off|scrapped|sold|totalled|pinched|repossessed)…
    (my|our) [(old)] {owns} <go> to (the scrapyard|the scrap yard|scrap|a good home|the tip|the charity shop)
    (my|our) lease on (the|my|our) {owns} <end|expire>
"""

TOOLS = (
    *told(_USES),
    *told(_SWITCHED, Aspect.EVENT),
    *told(_DROPPED, Aspect.END),
    *told(_DONE_WITH, Aspect.OVER),
    *told(_SUBSCRIBED),
    *told(_OWNED),
    *told(_ACQUIRED, Aspect.EVENT),
    *told(_LOST, Aspect.END),
)
