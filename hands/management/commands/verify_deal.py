"""Work a hand that the house dealt out again, from what is kept of it."""

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from hands.deal_models import DealProof
from hands.deal_proofs import proof_faults


class Command(BaseCommand):
    help = "Deal a hand again from its opened secret and parts; say what does not fit (exit code 1)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("hand", type=uuid.UUID, help="the hand, by its id")

    def handle(self, **options: Any) -> None:
        proofs = DealProof.objects.select_related("hand__session__rule_set")
        proof = proofs.filter(hand=options["hand"]).first()
        if proof is None:
            raise CommandError("There is no hand with this id that the house dealt.")
        faults = proof_faults(proof)
        for fault in faults:
            self.stderr.write(" ".join(fault.messages))
        if faults:
            raise SystemExit(1)
        self.stdout.write("The cards are those that follow from the secret and the parts.")
