"""What people do for a living, run, study and studied."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_DEGREES = (
    "(degree|phd|ph.d|doctorate|master's|masters|bachelor's|bachelors|mba|diploma|ba|bsc|msc|ma|meng|llb|"
    "dphil|first degree|undergrad|undergraduate degree|bachelor's degree|master's degree|postgrad|pgce|"
    "foundation degree|btech|b.tech|mphil|associate's degree)"
)


_JOBS = """
    teaching {teaches} at {works_at} <pay> (my|the|our) (bills|rent|mortgage) -> job_title = teacher
    {who} <be> [(now|currently|just|only|still|actually|basically)] [(a|an|the|your)] {job_title} [(here)] (at|with|
        for|in|over at|based in|and|by trade|by profession|by day|by training)…
    {who} <be> [(now|currently|just|only|still|actually|basically|also)] (a|an|the) [(new|only|lead|part-time|
        full-time|retired|semi-retired|freelance|trainee|qualified|newly qualified|registered|licensed|certified|
        self-employed|mobile|junior|senior|fully-fledged|humble|jobbing|struggling|professional)] {job_title}
    {who} <work|earn my living|make a living|make my living|earn a living|earn my crust|earn my keep|moonlight|
        serve|act|freelance|volunteer|practise|practice|train|qualify|retrain> as [(a|an|the)] [(part-time|
        full-time|freelance|trainee|self-employed|mobile|qualified)] {job_title}
    {who} <get|be> [(just|recently)] (promoted|made|appointed|named|hired|taken on|elected|ordained|upgraded) [(to|
        as|up to|into)] [(a|an|the|their|its|our)] {+job_title}
    {who} <become> [(a|an|the|their)] {+job_title}
    {who} <land|get|accept|take|start|bag|score> [(a|the|my)] [(new)] (job|role|post|position|gig) as [(a|an|the|
        their)] {+job_title}
    {who} <have> [(a|my)] (job|role|post|position|gig|side gig|side hustle) as [(a|an|the)] {job_title}
    {who} <take> over as [(the|their|our)] {+job_title}
    {who} <retrain> [(to be|to become|as|into)] [(a|an)] {+job_title}
    [{my}] (job|day job|job title|title|role|profession|occupation|trade|current role|position|official title|work|
        line of work|main job|vocation|career|current job) <be> [(as|that of|to be|called|officially)] [(a|an|the)]
        {job_title}
    {my} day job <be> {occupation}
    by (trade|profession|training|day) [(I'm|I am|he's|she's)] [(a|an)] {job_title}
    {who} <be> by (trade|profession|training) [(a|an)] {job_title}
    {who} <be> (a|an) {job_title} (by trade|by profession|by training|by day|by vocation|by background)
    as (a|an) [(working|practising|professional|newly qualified|retired|freelance|trainee|junior|senior)]
        {!job_title}[,] (I|we|I'm|I've|my)…
    as (a|an) [(strict|lifelong|practising|committed)] {!diet}[,] (I|we|I'm|I've|my)…
    (speaking|talking) as (a|an) {job_title}
    {who} <teach> {teaches} (at|in) (a|an|the|my local|our local)…
    {who} <drive> (a|the|buses|lorries|trucks|taxis|trains|trams|a bus|a lorry|a taxi|a cab|an ambulance) [(bus|cab|
        taxi|lorry|truck|tram|train|ambulance|van)] for (a living|{works_at})
    {who} <drive> (a taxi|taxis|a cab|cabs|an Uber|for Uber) [(for a living)] -> job_title = taxi driver
    {who} <drive> (a bus|buses|the {_some} bus) [(for a living)] -> job_title = bus driver
    {who} <drive> (a lorry|lorries|HGVs|an HGV|a truck|trucks) [(for a living)] -> job_title = lorry driver
    {who} <cut> hair [(for a living)] -> job_title = hairdresser
    {who} <fix|repair> cars (for a living|at {_some}|in {_some}) -> job_title = mechanic
    {who} <translate> {_some} (for a living|for {works_at}) -> job_title = translator
    {who} <earn my living|make my living|make a living|earn a living> translating {_some} -> job_title = translator
    {who} <earn my living|make my living|make a living|earn a living|earn my keep|earn my crust|pay the bills|pay
        my bills|support myself|keep the wolf from the door> [(by|from|through|as|with|doing)] [(a|an)] {occupation}
    {who} <do> {occupation} for a living
    {occupation} <pay> [(the|my|our)] (bills|rent|mortgage)
    {occupation} <put> food on the table
    {occupation} <keep> a roof over (my|our) head
    {occupation} <be> (my day job|my bread and butter|my trade|my profession|what I do for a living|how I make my
        living|how I earn my living|what pays the bills)
    {who} <be> in [(the)] {works_in=sales|marketing|finance|insurance|banking|recruitment|logistics|retail|
        hospitality|construction|education|healthcare|publishing|advertising|real estate|property|engineering|law|
        accounting|accountancy|consulting|tech|it|hr|human resources|procurement|events|manufacturing|pharma|film|
        television|tv|media|theatre|fashion|farming|agriculture|catering|telecoms|aviation|shipping|social work|
        social care|childcare|the civil service|the army|the navy|the air force|the police|the fire service|the
        military|the raf|fintech|biotech|cybersecurity|wealth management|customer service|customer support|quality
        assurance|it support|software|the oil industry|oil and gas|the wine trade|the building trade|the nhs|local
        government|government|politics|admin}
    {who} <work> in [(the)] {works_in}
    {who} <have> [(a|my)] (background|career) in {works_in}
    {who} <be> [(currently|now|still|happily)] {employment_status}
    {who} <work> for (myself|himself|herself) -> employment_status = self-employed
    {who} <be> [(my|her|his)] own boss -> employment_status = self-employed
    {who} <be> [(currently|still|now)] (on the dole|out of work|between jobs|looking for work|job hunting|
        job-hunting|out of a job) -> employment_status = unemployed
    {who} <be> a {employment_status=stay-at-home mum|stay-at-home dad|stay-at-home mom|stay at home mum|stay at
        home mom|stay at home dad|housewife|househusband|homemaker|full-time parent|full-time mum|full-time carer|
        pensioner|student|phd student|retiree|freelancer}
    {who} <work> [(mostly|only|always|the)] {shift}
    {who} <be> [(on)] [(the)] {shift=nights|earlies|lates|night shifts|the night shift|day shifts|late shifts|
        permanent nights} [(this|all|again|for|at the moment|until|till)]…
    {who} <do> [(the)] {shift}
    {who} <work> (mostly|entirely|fully|mainly|completely|always) {work_mode=from home}
    {who} <work> [(mostly|entirely|fully|mainly|completely|100%)] {work_mode=remotely|part-time|part time|full-time|
        full time|hybrid|on site|flexitime|freelance}
    {who} <earn|make|take home|bring in|get paid|be paid|gross|net|pull in> [(about|around|roughly|just under|just
        over|nearly|approximately|a|like)] {salary} [(a|per|before|after|at|in)]…
    {my} [(annual|monthly|current|starting|base|gross|net|new|take-home)] (salary|pay|wage|wages|income|ctc|package|
        take-home|stipend|day rate|hourly rate|rate|pension) <be> [(about|around|roughly|just under|just over|
        nearly|now|currently)] {salary}
"""
_EMPLOYERS = """
    {who} <work|be employed|be working> [(part-time|full-time|over|up|down|out|mostly|remotely|nights|days|weekends|
        shifts|there)] (at|for|over at|down at|out of) [(a|an)] {works_at}
    {who} <work> (in|on|as|behind) [(a|an|the)] {_some} (at|for) [the] {works_at}
    {who} <be> [(a|an|the|in|on)] [{_some}] at [the] {works_at} (now|these days|any more|anymore|any longer|
        full-time|part-time|currently|since|for)…
    {who} <be> (a|an|the) {_job} (at|for|with) [the] {works_at}
    {who} <be> with {works_at} (any more|anymore|any longer)…
    {who} <be> (employed|engaged|on the payroll|contracting|interning|temping|apprenticed|on the books|on staff|on
        the team|on the staff|an employee|an intern|a consultant|a contractor) (at|by|with|for|of) [the] {works_at}
    {who} <be> (in|on) [(the)] [{_some}] (team|department|side|division) (at|of|with|for) [the] {works_at}
    {who} <head|lead|run|manage|oversee|direct> [(the|their|up the|up)] [{_some}] (team|department|division|desk|
        side|operations|office|practice|group|unit|function) (at|for|of) [the] {works_at}
    {who} <be> in {works_in=sales|marketing|finance|recruitment|logistics|procurement|hr|it|engineering|accounts|
        legal|operations|security|support|design|product|research|r&d|admin|compliance|customer service|customer
        support|payroll} at [the] {works_at}
    {who} <teach|lecture|nurse|intern|consult|contract|freelance|temp|write|code|volunteer|train|practise|research|
        clerk|cook|wait tables|bartend|tend bar|clean|drive|guard> [{_some}] (at|for) [the] {works_at}
    {who} <look> after {_some} (at|for) [the] {works_at}
    {_some} (at|for) [the] {works_at} <pay> (my|the|our) (bills|rent|mortgage)
    {who} <draw|get> (a|my) (paycheck|salary|wage|pay cheque|payslip) from {works_at}
    {who} <serve> (in|with) the {works_at}
    [{my}] (employer|company|firm|workplace|current employer|place of work|new employer|work) <be> [(currently|
        now)] [(called|a small publisher called|a startup called|a company called|a firm called)] [the] {works_at}
    {works_at} <employ> {me}
    {works_at} <pay> my (wages|salary|rent)
    {works_at} <be> (my employer|who I work for|where I work|who pays me|who employs me|my workplace|my current
        employer|where I'm employed|my company)
    {who} (have|'ve|has) been (at|with|working at|working for|working with|employed by|employed at) [the]
        {works_at} (for|since|ever since|all|going on|coming up)…
"""
_HIRED = """
    {who} <join|start at|start with|sign on with|sign with|go to work for|go to work at|begin at> [the] {+works_at}
        (as|in|on|last|this|next|after|from|two|three|a few|earlier|back|just|,)…
    {who} <be> [(just|recently)] (hired|taken on|recruited|headhunted|poached|snapped up|signed|employed) by [the]
        {+works_at}
    {who} <get|land|take|start|bag|score|secure|find> [(a|an|the|my|this)] [(new|summer|part-time|full-time|weekend|
        dream|first|great)] (job|role|post|position|gig|internship|placement|apprenticeship|contract) (at|with|from|
        for|in) [the] {+works_at}
    {who} <be|get> [(just)] promoted to {_some} at [the] {!works_at}
    {who} <jump ship|defect> [(from {-works_at})] to {+works_at}
"""
_LEFT = """
    {who} <leave|quit|resign from|step down from|depart|bow out of> [(my)] [(job|role|post|position)] [(at|with)]
        [the] {works_at} (last|in|after|for|to|this|two|back|because|on|when|earlier|years|months|weeks|a|and|,)…
    {who} <hand|give|put> in (my|his|her) (notice|resignation|letter of resignation|papers) (at|to|with) [the]
        {works_at}
    {who} <hand|give|put> (my|his|her) (notice|resignation) in (at|to|with) [the] {works_at}
    {who} <be> (fired|let go|sacked|laid off|made redundant|dismissed|booted|furloughed|canned) (from|by|at) [the]
        {works_at}
    {who} <get> (fired|let go|sacked|laid off|made redundant|dismissed|the boot|the sack|the push|the chop|my P45)
        (from|by|at) [the] {works_at}
    {who} <lose> (my|his|her) job (at|with) [the] {works_at}
    {who} <retire> from [the] {works_at}
    {who} <finish|wrap> up (at|with) [the] {works_at}
    {my} (last|final) day (at|with) [the] {works_at} (was|is)…
"""
_BUSINESSES = """
    {who} <run|manage|operate|co-own|look after> [(a|an|my own|our own|the|my|this)] [(small|little|family|tiny|
        busy|local|independent|village|mobile|online|two-person|one-man|one-woman)] {runs=bakery|restaurant|cafe|
        café|coffee shop|shop|bookshop|salon|hair salon|barbershop|farm|dairy farm|sheep farm|bar|pub|brewery|
        garage|agency|design agency|practice|dental practice|law practice|clinic|nursery|hotel|guesthouse|guest
        house|b&b|hostel|workshop|gallery|gym|butcher's|florist's|florist|deli|food truck|bike shop|record shop|
        record label|studio|yoga studio|dance school|pottery studio|launderette|corner shop|post office|garden
        centre|cleaning business|cleaning company|plumbing business|building firm|construction company|landscaping
        business|catering company|consultancy|startup|tech startup|software company|charity|food bank|youth club|
        podcast|blog|newsletter|youtube channel|etsy shop|online shop|ebay shop|market stall|taxi firm|haulage
        company|kennels|cattery|stables|riding school|driving school|vineyard|winery|orchard|microbrewery|
        bookbinding workshop|tattoo parlour|tattoo studio|nail bar|chippy|takeaway|tailor's|dry cleaner's|pet shop|
        pharmacy|travel agency|recruitment agency|marketing agency|photography business|business|tea room|ice cream
        parlour|brewpub|campsite|caravan park|surf school|ski school|language school}
    {who} <found|start|launch|set up|establish|open> [(my own|our own|the)] (company|business|firm|startup|agency|
        studio|shop|charity|consultancy|bakery|practice|label|clinic|restaurant|cafe|café) [(called|named|,)]
        {founded} [(in|back|with|last|,|ten|two|five)]…
    {who} <be> the (founder|co-founder|cofounder|owner|proprietor) of {founded}
    {my} (business|company|startup|firm|shop|agency|studio|practice|salon|restaurant|café|cafe|bakery|consultancy)
        <be> (called|named) {company}
    {who} <run> (a|an|the) [{_some}] (shop|store|cafe|café|bakery|restaurant|salon|studio|farm|bar|pub|brewery|
        garage|agency|practice|clinic|nursery|hotel|guesthouse|hostel|bookshop|workshop|gallery|gym|deli|b&b)
        [(called {_name})] in {location}
"""
_STUDIES = f"""
    {{who}} <study|major in|minor in|specialise in|specialize in> {{studies}} (at|in|with) [the] {{studies_at}}
    {{who}} <study|major in|minor in|specialise in|specialize in> {{studies}}
    {{who}} <do|take|read> {{studies=physics|chemistry|biology|maths|mathematics|law|medicine|engineering|history|
        english|geography|economics|philosophy|psychology|computer science|nursing|architecture|politics|sociology|
        dentistry|pharmacy|classics|theology|french|german|spanish}} (at|in) [the] {{studies_at}}
    {{who}} <do|take|pursue|work on|work towards|finish> [(a|an|my|his|her)] [(part-time|full-time|second|online|
        distance|first year of my|final year of a)] {_DEGREES} (in|on) {{studies}} (at|with|through) [the]
        {{studies_at}}
    {{who}} <do|take|pursue|work on|work towards> [(a|an|my|his|her)] [(part-time|full-time|second|online|
        distance)] {_DEGREES} (in|on) {{studies}}
    {{who}} <do|take> {{studies=physics|chemistry|biology|maths|mathematics|law|medicine|engineering|history|
        english|geography|economics|philosophy|psychology|computer science|nursing|architecture|politics|sociology|
        music|art|dentistry|pharmacy|pharmacology|criminology|accounting|business studies|PPE|classics|veterinary
        medicine}} at {{studies_at}}
    {{who}} <be> [(a|an|in my|in the|currently|now)] [(first|second|third|fourth|final|last)] [(year|year of)]
        {{studies=physics|chemistry|biology|maths|law|medicine|engineering|history|english|geography|economics|
        philosophy|psychology|computer science|nursing|architecture|politics|sociology|medical|art|dentistry|
        pharmacy|pharmacology}} [(student|undergrad)] at {{studies_at}}
    {{who}} <attend> [the] {{studies_at}}
    {{who}} <be> [(a|an)] [(first-year|second-year|third-year|final-year|phd|graduate|master's|exchange|mature|
        part-time|full-time|med|law|postgrad|undergraduate|undergrad|doctoral)] (student|undergrad|postgrad|
        freshman|sophomore|junior|senior|doctoral candidate|phd candidate|fresher|postdoc|masters student) (at|in)
        [the] {{studies_at}}
    {{who}} <be> enrolled (at|in|with) [the] {{studies_at}}
    {{who}} <be> in (my|her|his) (first|second|third|fourth|final|last|junior|senior|sophomore) year (at|of) [the]
        {{studies_at}}
    {{who}} <be> in (my|her|his) (first|second|third|fourth|final|last) year of {{studies}}
    {{my}} (major|course|field of study|subject|minor|field|thesis|research|dissertation) <be> (in|on|about)
        {{studies}}
    {{my}} (major|field of study|course) <be> {{studies}}
    {{my}} (school|university|uni|college|alma mater) <be> {{studies_at}}
"""
_STUDIED = f"""
    {{who}} <study|major in|train in> {{studied}} at [the] {{studied_at}}
    {{who}} <read|do> {{studied=physics|chemistry|biology|maths|mathematics|law|medicine|engineering|history|
        english|geography|economics|philosophy|psychology|computer science|nursing|architecture|politics|sociology|
        dentistry|pharmacy|classics|theology|french|german|spanish}} (at|in) [the] {{studied_at}}
    {{who}} <study|train> (at|in) [the] {{studied_at}}
    {{who}} <go> to (university|uni|college|school|art school|med school|law school|drama school|medical school|
        boarding school) (at|in) {{studied_at}}
    {{who}} <graduate> [(from|at)] [the] {{graduated_from}} [(with|in|back|last|,|this)]…
    {{who}} <be> (a|an) {{graduated_from}} (graduate|alum|alumnus|alumna|grad|alumni)
    {{who}} <be> (a graduate of|an alumnus of|an alumna of|an alum of) [the] {{graduated_from}}
    {{who}} did [(a|an|my|his|her)] {_DEGREES} [in {{_some}}] at [the] {{graduated_from}}
    {{who}} <get|have|earn|complete|receive|hold|gain|obtain> [(a|an|my|his|her)] {_DEGREES} [in {{_some}}] (from|
        at) [the] {{graduated_from}}
    {{who}} <get|have|do|earn|complete|receive|hold|gain|obtain> [(a|an|my|his|her)] (degree|phd|doctorate|master's|
        masters|bachelor's|mba|diploma|ba|bsc|msc|ma|meng) in {{degree}}
    {{my}} {_DEGREES} <be> in {{degree}}[,] (from|at) {{university}}
    {{my}} {_DEGREES} <be> in {{degree}}
    {{my}} {_DEGREES} <be> from {{university}}
    {{who}} <qualify|train> as [(a|an)] {{job_title}} (in|at|back|ten|twenty|five|last)…
    {{who}} <drop> out of {{dropped_out}}
"""
_TEACHING = """
    {who} <teach> {_some} (at|in) (a|an|the|my|our) {_some} -> job_title = teacher
    {who} <teach> {_some} at {_name} -> job_title = teacher
    {who} <teach> {teaches=year 1|year 2|year 3|year 4|year 5|year 6|year 7|year 8|reception|first grade|second
        grade|third grade|fourth grade|fifth grade|kindergarten|primary school|high school|a-level}
    {who} <teach> {teaches}
"""
_ROLES = """
    {who} <be> [(a|an)] [(proud|paid-up|card-carrying|founding|active|lifelong|long-time|keen|committee|life|new)]
        (member|patron|trustee|governor|supporter|volunteer) (of|at|with|for) [(the|a|an|my local|our local)]
        {member_of}
    {who} <belong> to [(the|a|an|my local|our local)] {member_of=union|choir|church choir|book club|running club|
        gym|chess club|tennis club|golf club|cricket club|rowing club|camera club|knitting circle|allotment society|
        walking group|writing group|amateur dramatics group|reading group|church|mosque|temple|synagogue|band|
        rotary club|parish council|housing co-op|cycling club|sailing club}
    {who} <sit|serve> on [(the|a)] {member_of}
    {who} <chair> [(the|a)] {chairs}
    {who} <be> (treasurer|secretary|chair|chairman|chairwoman|president|captain|vice-captain|vice president) of
        [(the|a|our|my)] {member_of}
    {who} <sing|play|dance|row|act|run|cycle|swim> (in|for|with) [(a|an|the|my local|our local)] {member_of=choir|
        church choir|community choir|gospel choir|band|cover band|covers band|jazz band|brass band|orchestra|youth
        orchestra|string quartet|ceilidh band|folk band|punk band|metal band|samba band|big band|barbershop quartet|
        wind band|ska band|chamber choir|university choir|rock choir|amateur orchestra|local team|local club|sunday
        league team|amateur dramatics group|running club}
    {who} <volunteer|help out|do volunteer work|do voluntary work|do some volunteering> [(every week|weekly|every
        saturday|every sunday|once a week|on saturdays|on sundays|regularly|part-time)] (at|for|with|in) [(the|a|an|
        my local|our local|a local)] {volunteers_at}
    {who} <donate|give> blood -> habit = donating blood
    {who} <foster> {fosters=dogs|cats|kittens|puppies|children|kids|greyhounds|rescue dogs}
"""
_LEADERS = """
    {who} <work> under {manager}
    [{my}] (line manager|team lead|line-manager|direct manager|boss's name|manager's name|new boss|new manager)
        <be> [(now|currently|called|a guy called|a woman called|a woman named|a guy named|named|a bloke called|
        someone called)] {manager}
    {manager} <be> [(now|currently)] my (line manager|direct manager|new boss|new manager|gaffer|team lead)
"""

WORK = (
    *told(_JOBS),
    *told(_EMPLOYERS),
    *told(_HIRED, Aspect.EVENT),
    *told(_LEFT, Aspect.END),
    *told(_BUSINESSES),
    *told(_STUDIES),
    *told(_STUDIED, Aspect.PAST),
    *told(_TEACHING),
    *told(_ROLES),
    *told(_LEADERS),
)
