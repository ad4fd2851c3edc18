"""Jobs of hands: each takes an id, calls one service, and may run twice."""

from accounts.audit import acting_for
from hands.import_report import clear_orphans
from hands.imports import IMPORT, run_import
from hands.luck import WORTH, run_luck
from hands.models import Import, Rescore
from hands.rescoring import RESCORE, run_rescore
from hands.tallies import TALLY, run_tally
from jobs.queue import Claim, handles, hourly


@handles(IMPORT)
def import_history(claim: Claim) -> None:
    with acting_for(Import.objects.get(pk=claim.subject_id).created_by):
        run_import(claim=claim)


hourly(clear_orphans)


@handles(RESCORE)
def rescore(claim: Claim) -> None:
    with acting_for(Rescore.objects.get(pk=claim.subject_id).requested_by):
        run_rescore(claim=claim)


@handles(TALLY)
def tally(claim: Claim) -> None:
    run_tally(claim=claim)


@handles(WORTH)
def work_out_luck(claim: Claim) -> None:
    run_luck(claim=claim)
