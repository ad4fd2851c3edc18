"""Rule sets: the presets, and the club's own, with what the house caps and takes."""

import uuid
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of
from accounts.api.shapes import anything, example, identifier, text
from accounts.api.views import ClubListView, ClubView
from hands.heads import unknown_game
from hands.models import RuleSet
from hands.rulesets import create_rule_set
from hands.scoring.games import GAMES

RULE_SET: Final = shapes.shape(
    "RuleSet",
    id=identifier(),
    name=text(),
    game=text(),
    parameters=anything(),
    house_money=anything(help_text="What the house caps and takes; null where it does neither."),
    created_at=shapes.moment(),
    **shapes.WARNINGS,
)
NEW_RULE_SET: Final = shapes.shape(
    "NewRuleSet",
    name=text(max_length=60),
    game=text(required=False, help_text="taiwanese where it is left out."),
    parameters=anything(help_text="As in a hand's session: boards, row_points, homerun_bonus and so on."),
    house_money=anything(required=False),
)


def rule_set_body(rule_set: RuleSet) -> dict[str, Any]:
    return {
        "id": str(rule_set.pk),
        "name": rule_set.name,
        "game": rule_set.game,
        "parameters": rule_set.parameters,
        "house_money": rule_set.money or None,
        "created_at": rule_set.created_at.isoformat(),
    }


class RuleSetListView(ClubListView):
    def rows(self) -> Any:
        return RuleSet.objects.filter(club=self.club)

    def body_of(self, row: RuleSet) -> dict[str, Any]:
        return rule_set_body(row)

    @shapes.lists(RULE_SET, "Rule sets that were used or kept", operation_id="list_rule_sets", tags=["rule-sets"])
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        RULE_SET,
        "Keep rules of the house",
        body=NEW_RULE_SET,
        created=True,
        operation_id="keep_rule_set",
        tags=["rule-sets"],
        examples=[
            example(
                "Doubled homerun with a cap",
                {
                    "name": "Sunday",
                    "parameters": {"boards": 2, "row_points": [1, 2, 3], "homerun_bonus": 12},
                    "house_money": {"currency": "USD", "cap_minor": 20000, "cap_by": "pro_rata"},
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        name, parameters, money = body.text("name"), body.take("parameters"), body.take("house_money")
        game = body.text("game", needed=False) or "taiwanese"
        if game not in GAMES:
            body.refuse("/game", "game", unknown_game())
        for field, value in (("parameters", parameters), ("house_money", money or {})):
            if not isinstance(value, dict):
                body.refuse(f"/{field}", "object", f"{field} is an object.")
        body.finish()
        try:
            made = create_rule_set(club=self.club, name=name, parameters=parameters, money=money or {}, game=game)
        except ValidationError as error:
            body.adopt(error)
            body.finish()
            raise
        where = reverse("api-rule-set", args=[made.pk])
        return self.answer(rule_set_body(made) | body.warnings(), status=201, where=where)


class RuleSetView(ClubView):
    @shapes.reads(RULE_SET, "One rule set", operation_id="get_rule_set", tags=["rule-sets"])
    def get(self, request: Request, rule_set_id: uuid.UUID) -> Response:
        found = self.one(RuleSet.objects.filter(club=self.club), rule_set_id)
        body = rule_set_body(found)
        return self.answer(body, etag=etag_of(body))
