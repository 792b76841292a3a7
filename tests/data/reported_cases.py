"""Faults that users of comparable systems reported: their ids. Every one has tests that bear its id, in the files
`test_reported_cases*.py` of `tests/integration` and `tests/e2e`.
"""

NUMBERS = {
    "CON": (1, 3, 5, 7, 8, 10, 12, 13, 14),  # contradictions
    "DUP": (1, 3, 4, 5),  # duplicates
    "ENT": (2, 3, 5, 6, 8),  # entities
    "ATT": (1, 3, 4, 5, 6),  # who said it
    "NEG": (1, 3, 5),  # negations and endings
    "TMP": (1, 3, 5, 6, 7),  # stated times
    "DEL": (1, 3, 4, 5, 7, 10, 11, 12, 13),  # deletions
    "HIS": (1, 3, 5),  # histories
    "TXT": (1, 2, 4, 5, 7, 9, 10),  # scripts, long and odd texts
    "PAR": (1, 3, 4),  # model answers that don't parse
    "PRV": (1, 3, 4, 6, 7, 9),  # failing providers
    "CNC": (1, 3, 4, 5),  # races
    "SLO": (1, 3, 4),  # slowness
    "DIM": (2, 3, 4, 5),  # embedding dimensions
    "TEN": (1, 3, 5),  # tenants
    "FIL": (1, 3, 4),  # filters and pages
    "STA": (2, 3, 4, 5, 6),  # starts and upgrades
    "TEL": (1, 2),  # telemetry
    "COS": (1, 3, 4),  # cost
    "POI": (1,),  # poisoning
    "UNC": (1,),  # uncertainty
}
IDS = tuple(f"{kind}-{number:02}" for kind, numbers in NUMBERS.items() for number in numbers)

# Parts of a case that are tested with what they are about, beside the tests that bear its id: where, and which part.
TOO = {
    "CON-03": "integration/test_response_cache.py::test_a_new_doubt_ends_it: a reply that a doubt contradicts",
    "DEL-12": "e2e/test_leaks.py::test_nobody_sees_or_touches_what_is_bobs: ids of every kind at every operation",
    "DIM-03": "integration/test_search.py::test_the_same_text_is_embedded_once_and_another_model_makes_its_own: "
    "indexing",
    "DUP-04": "e2e/test_idempotency.py::test_one_key_from_sixteen_threads_makes_one_turn: racing requests",
    "HIS-01": "e2e/test_curation.py::test_a_closed_attribute_leaves_no_current_value: "
    "what a closing leaves in the history",
    "NEG-05": "integration/test_recall.py::test_what_is_closed_taken_back_or_forgotten_does_not_come_back: "
    "asking after it",
    "POI-01": "e2e/test_recall.py::test_one_who_may_read_less_sees_neither_the_rows_nor_the_traces: asking after it",
    "PRV-01": "integration/test_retries.py::test_each_failure_says_when_the_next_attempt_is_due: tried again by itself",
    "SLO-01": "e2e/test_model_extraction_served.py::test_a_turn_is_one_call_and_its_answer_says_what_it_took: usage",
    "SLO-03": "integration/test_model_extraction.py::test_the_prompt_offers_what_is_known_and_stays_short: the prompt",
    "SLO-04": "e2e/test_model_extraction_served.py::test_past_the_deadline_the_answer_is_pending_and_the_work_goes_on: "
    "served",
    "STA-02": "integration/test_transfer.py::test_a_context_moves_with_its_chain_and_reads_the_same: export and import",
    "STA-04": "integration/test_tampering.py::test_a_row_deleted_from_any_read_model_is_found: every read model",
    "STA-05": "e2e/test_start.py::test_health_needs_no_key_and_a_write_waits_for_the_models: health at the start",
    "TEN-03": "integration/test_recall.py::test_nothing_of_what_is_hidden_shows_in_hits_scores_or_counts: hits",
    "TEN-05": "e2e/test_access.py::test_what_is_said_without_scopes_goes_to_all_of_the_write_region: "
    "default scopes of every principal",
    "TXT-01": "integration/test_model_extraction.py"
    "::test_other_scripts_keep_their_words_and_white_space_and_quotes_are_forgiven: spans",
}
