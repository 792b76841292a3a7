"""What is said of systems, places and events: what they are written in, whose they are, how big and when they are."""

from memory.extraction.families.phrasebook.templates import told

_KIND = "(service|app|tool|library|api|platform|system|pipeline|dashboard|bot|backend|frontend|database|gateway|cli)"
_NAMED = f"{{project}} <be> (the|our|an|a|my) [{{_some}}] {_KIND}"

_SYSTEMS = f"""
    (our|the|my) {{system}} <be> [(all|mostly|still)] in {{written_in}}
    {_NAMED}, {{written_in}}
    {_NAMED} {{_stretch}} (owned|maintained|run|looked after) by [(the|our)] {{owned_by}}
    [(our|the|my)] {{run}} <take> [(about|around|roughly|nearly|over)] {{duration}}
    (our|the|my) {{system}} <have|be> [(about|around|roughly|nearly|over)] {{lines_of_code}} lines
    (our|the) {{issue}} <go|run|happen|be> [out] {{schedule}}
"""
_EVENTS = """
    (the|our) {event} <be|start> [now] at {event_time}
    (the|our) {event} <be> [now] on [the] {event_date}
"""
_SITES = """
    (my|our|the) {place} <be> [now] (in|on|at) {site}
    (my|our|the) {place} <move|relocate> [(from {_place})] to {+site}
"""

SYSTEMS = (*told(_SYSTEMS), *told(_EVENTS), *told(_SITES))
