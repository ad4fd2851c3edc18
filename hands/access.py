"""Who may look at a session: those who keep its club's books, and the players who sat in it."""

import uuid

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from accounts.models import Membership, Merge, Player, User
from hands.models import Hand, Seat, Session


def own_players(user: User) -> QuerySet[Player]:
    """The players that are this person, under every name that was merged into theirs."""
    return Player.objects.filter(Q(user=user) | Q(merged_into__kept__user=user, merged_into__undone_at=None))


def people_of(players: QuerySet[Player]) -> set[int]:
    """The log-ins of whoever these players are, also where their name was merged into another: by id."""
    players = players.order_by()
    own = players.exclude(user=None).values_list("user", flat=True)
    kept = Merge.objects.filter(merged__in=players, undone_at=None).exclude(kept__user=None)
    return {*own, *kept.values_list("kept__user", flat=True)}


def readable_sessions(user: User) -> QuerySet[Session]:
    """Sessions that this person may look at; ``is_kept`` says of which they may also change something."""
    kept = Membership.objects.filter(club=OuterRef("club"), user=user)
    sat = Seat.objects.filter(session=OuterRef("pk"), player__in=own_players(user))
    return (
        Session.objects.filter(club__put_away_at=None)
        .annotate(is_kept=Exists(kept), is_sat_in=Exists(sat))
        .filter(Q(is_kept=True) | Q(is_sat_in=True))
        .select_related("club", "rule_set")
    )


def readable_session_or_404(request: HttpRequest, session_id: uuid.UUID) -> Session:
    return get_object_or_404(readable_sessions(request.user), pk=session_id)


def readable_hands(user: User) -> QuerySet[Hand]:
    """The hands of those sessions."""
    return Hand.objects.filter(session__in=readable_sessions(user).values("pk"))


def with_chances(hands: QuerySet[Hand]) -> QuerySet[Hand]:
    """Those of these hands of which chances can be told: Taiwanese, with their cards, not void."""
    return hands.filter(current__is_void=False, current__has_cards=True, session__rule_set__game="taiwanese")
