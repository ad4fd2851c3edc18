"""Jobs of hands: each takes an id, calls one service, and may run twice."""

from hands.imports import IMPORT, run_import
from jobs.queue import Claim, handles


@handles(IMPORT)
def import_history(claim: Claim) -> None:
    run_import(claim=claim)
