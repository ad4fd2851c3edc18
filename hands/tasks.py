"""Jobs of hands: each takes an id, calls one service, and may run twice."""

from hands.imports import IMPORT, run_import
from hands.rescoring import RESCORE, run_rescore
from jobs.queue import Claim, handles


@handles(IMPORT)
def import_history(claim: Claim) -> None:
    run_import(claim=claim)


@handles(RESCORE)
def rescore(claim: Claim) -> None:
    run_rescore(claim=claim)
