"""What is said of systems: what they are written in, whose they are, how big they are and when they run."""

from memory.extraction.families.phrasebook.entries import END, NAME, entry

_PARTS = (
    r"front-?end|back-?end|api|server|client|app|website|site|service|pipeline|bot|cli|monolith|repo|database|db|"
    r"dashboard|library|compiler|gateway|worker|scheduler"
)
_RUNS = r"ci|builds?|deploys?|tests|test suite|pipeline|deployment|release|migration|backups?|compile|import|sync"
_THINGS = r"service|app|tool|library|api|platform|system|pipeline|dashboard|bot|backend|frontend|database|gateway|cli"
_LANGUAGES = (
    r"(?:react|vue|svelte|sveltekit|angular|next\.?js|nuxt|solid|ember|django|flask|rails|laravel|"
    r"spring|phoenix|java|"
    r"kotlin|python|go|golang|rust|typescript|javascript|ruby|php|scala|elixir|erlang|haskell|"
    r"swift|c\+\+|c#|f#|clojure|"
    r"perl|dart|flutter|zig|ocaml|cobol|fortran|node(?: \d+)?)"
)
_DAY = r"(?:every|on|each) (?:\w+day|day|week|night|month|other \w+day)s?(?: at \d[\w:]*| and \w+day)?"

SYSTEMS = (
    entry(
        rf"(?:our|the|my) (?P<subject>(?:[\w-]+ )?(?:{_PARTS})) is (?:all |mostly |still )?in "
        rf"(?P<value>{_LANGUAGES}){END}",
        "written_in",
    ),
    entry(
        rf"(?P<subject>{NAME}) is (?:the|our|an?|my) (?:[\w-]+ ){{0,3}}(?:{_THINGS}), "
        rf"(?P<value>{_LANGUAGES})(?=\s*[+,&]|\s+and\b|\s*$)",
        "written_in",
    ),
    entry(
        rf"(?P<subject>{NAME}) is (?:the|our|an?|my) (?:[\w-]+ ){{0,3}}(?:{_THINGS}), {_LANGUAGES} "
        rf"?(?:\+|&|and|,) ?(?P<value>{_LANGUAGES})\b",
        "written_in",
    ),
    entry(
        rf"(?P<subject>{NAME}) is (?:the|our|an?|my) (?:[\w-]+ ){{0,3}}(?:{_THINGS})\b[^.;!?]*?,? "
        rf"(?:owned|maintained|run|looked after) by (?:the |our )?(?P<value>{NAME}'s team|(?:[\w-]+ "
        rf"){{1,2}}team)\b",
        "owned_by",
        object_type="organisation",
    ),
    entry(
        rf"(?:our |the |my )?(?P<subject>(?:[\w-]+ )?(?:{_RUNS})) takes? (?:about |around |roughly |"
        rf"nearly |over )?(?P<value>(?:\d+|half an|an) ?(?:seconds|secs|minutes|mins|min|hours|hour|"
        rf"hrs|s)){END}",
        "duration",
    ),
    entry(
        rf"(?:our|the|my) (?P<subject>(?:[\w-]+ )?(?:{_PARTS}|codebase)) (?:has|is) (?:about |around |"
        rf"roughly |nearly |over )?(?P<value>[\d.,]+k?m?) lines\b",
        "lines_of_code",
    ),
    entry(
        rf"(?:our|the) (?P<subject>(?:[\w-]+ )?(?:deploys|releases|builds|backups|invoices|reports|"
        rf"payouts|newsletters?|standups?|bins)) (?:go out|goes out|runs?|happens?|are|is) "
        rf"(?P<value>{_DAY}){END}",
        "schedule",
    ),
)
