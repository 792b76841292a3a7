"""Faults that users of comparable systems reported: their ids, and where those are tested that can't be tested yet.

`tests/integration/test_reported_cases.py` and `tests/e2e/test_reported_cases.py` hold a test for every other id.
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

# Not tested here: what is missing, and which tests will have it.
ELSEWHERE = {
    "COS-03": "usage: no model provider yet, so no tokens to report; tests of usage",
    "COS-04": "usage: no model provider yet, so no tokens to report; tests of usage",
    "DEL-04": "erase, chat: no erasure of a turn and no chat yet; tests of erasure",
    "DIM-02": "embeddings: no embedder yet; tests of embedding",
    "DIM-03": "embeddings: no embedder yet; tests of embedding again",
    "DIM-04": "embeddings: no embedder and no recall yet; tests of recall",
    "DIM-05": "embeddings: no embedder yet; tests of settings",
    "DUP-04": "tests/e2e/test_idempotency.py: the same key answers from the log, another body conflicts",
    "PAR-01": "provider: no extraction by a model yet; tests of model answers",
    "PAR-03": "provider: no extraction by a model yet; tests of model answers",
    "PRV-09": "recall, embeddings: neither is there yet; tests of recall",
    "SLO-04": "provider: no model endpoint to wait for yet; tests of providers",
    "STA-03": "provider: there is only one extractor yet; tests of providers",
    "STA-05": "provider: no model that could be down at the start yet; tests of providers",
    "TMP-06": "recall, time travel: no read as of a time yet; tests of recall",
}

# Tested here but for this part, which will be in the tests of what is missing.
LATER = {
    "CNC-05": "recall under load",
    "CON-03": "recall, chat",
    "CON-08": "recall",
    "CON-13": "chat",
    "CON-14": "recall, time travel: as-of reads",
    "DEL-01": "forget one fact by id; recall, chat",
    "DEL-05": "erase a turn; recall",
    "DEL-10": "erase a scope",
    "DEL-12": "inspect: instructions and uncertainties can't be inspected yet",
    "DEL-13": "erase; recall",
    "DUP-03": "recall",
    "ENT-05": "recall",
    "FIL-03": "filters: no range on valid time yet",
    "HIS-01": "forget by words",
    "HIS-03": "erase what a turn led to",
    "NEG-01": "time travel: as-of reads; chat",
    "NEG-03": "recall",
    "NEG-05": "recall",
    "POI-01": "recall, chat",
    "PRV-01": "provider: tried again without a restart",
    "PRV-07": "chat",
    "SLO-01": "usage; the time of a write is measured by tests/bench/write.py",
    "SLO-03": "usage: tokens of a prompt",
    "STA-02": "containers; backup by one command",
    "STA-04": "verify: a command that does not run at the start yet",
    "TEN-01": "recall, chat",
    "TEN-03": "recall: citations",
    "TEN-05": "recall",
    "TMP-03": "recall",
    "TXT-01": "provider: broken escapes in a model's answer",
    "TXT-02": "recall in two languages",
    "TXT-05": "recall",
    "TXT-10": "recall",
    "UNC-01": "chat",
}
