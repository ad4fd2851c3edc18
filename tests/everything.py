"""A club that has one of everything, and the address of every page of it."""

import re
import uuid
from collections.abc import Sequence

from django.core.files.base import ContentFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.merging import merge_players
from accounts.models import Account, Club, Player, User
from accounts.services import add_player, create_api_key, create_club, invitation
from hands.corrections import correct_hand
from hands.deal_models import DealProof
from hands.drafts import keep_draft
from hands.history import read_hand
from hands.imports import request_import
from hands.live import switch_live_on
from hands.luck import request_luck
from hands.models import Hand
from hands.phones import open_round
from hands.practice_pages import deal
from hands.scoring.games import PRESETS
from hands.seating import seat_player
from hands.services import close_session, record_hand, session_for
from jobs import queue
from jobs.models import Job
from settlement.book_files import request_ledger_file, request_session_file
from settlement.bundles import request_bundle
from settlement.disputes import decline_dispute, raise_dispute
from settlement.exports import request_export
from settlement.models import Statement
from settlement.notice_models import Notice
from settlement.notices import off_text
from settlement.payments import Wanted, record_payments
from settlement.services import request_statement
from settlement.webhooks import create_webhook, send_ping
from tests.deals import ANA, BEN, CHI, EVENING, add_hand, open_for_stakes, play, settle
from tests.hands.test_chinese_hands import pineapple
from tests.hands.test_house_deals import whole_hand
from tests.ofc import FOULED, NATURALS, WITH_JOKER, open_table, play_hand

EMAIL, PASSWORD = "every.page@example.com", "correct horse battery staple"
# 30 letters, and Chinese characters: the widest names that a person has typed.
HARD_NAMES = ("Maximiliana Featherstonehaughs", "歐陽娜娜與司馬相如", "Chi")

# Pages that are others in each state of a session.
BY_STATE = {
    "session",
    "settle",
    "session-reopen",
    "seats",
    "phones",
    "hand-new",
    "hand-points",
    "hand",
    "hand-correct",
    "hand-dealt",
}
# allauth's own pages, in our dress.
ALLAUTH = ["/accounts/email/", "/accounts/password/change/", "/accounts/logout/", "/accounts/2fa/"]


def one_of_everything(
    club: Club, owner: User, names: Sequence[str] = ("Ana", "Ben", "Chi"), history: bytes = b""
) -> dict[str, object]:
    """One of everything of this club, by the name of the URL's argument."""
    session = play(club, [dict(zip(names, (ANA, BEN, CHI), strict=True))])
    switch_live_on(session=session)
    session.refresh_from_db()
    settle(session)
    player = Player.objects.get(club=club, name=names[0])
    key, _secret = create_api_key(club=club, name="Key", scope="read", author=owner)
    days = {"first_day": EVENING.date(), "last_day": EVENING.date()}
    request_statement(player=player, currency="USD", author=owner, **days)
    export = request_export(club=club, author=owner)
    book_file = request_ledger_file(club=club, currency="USD", author=owner, **days)
    request_session_file(session=session, author=owner)
    day = EVENING.date()
    bundle = request_bundle(club=club, currency="USD", first_day=day, last_day=day, author=owner)
    imported = request_import(club=club, file=ContentFile(history), file_name="history.ndjson", author=owner)
    for job_id in Job.objects.filter(status="queued").values_list("pk", flat=True):
        queue.run_to_end(job_id)
    hand, payee = Hand.objects.get(session=session), Account.objects.get(player=player)
    # Its cards are not those that follow: the page of a deal says so.
    opened = {"hand": "hand 1", "committed": "00" * 32, "secret": "11" * 32, "parts": {"1": "22" * 32, "2": "33" * 32}}
    DealProof.objects.create(hand=hand, facts=opened)
    payer = Account.objects.get(player__club=club, player__name=names[1])
    wanted = Wanted(uuid.uuid4(), payer, payee, 100, session=session)
    (payment,) = record_payments(club=club, wanted=[wanted], author=owner)
    dispute = raise_dispute(club=club, sentence="Look again.", author=owner, player=player, hand=hand)
    doubted = raise_dispute(club=club, sentence="Not yet.", author=owner, player=None, payment=payment)
    decline_dispute(dispute=doubted, reason="It has arrived.", author=None)
    other = add_player(club=club, name="Anna")
    events = ["session.settled"]
    table = open_round(session=play(club, [], table="With own phones"))
    webhook, _secret = create_webhook(club=club, url="https://example.com/in", events=events, author=owner)
    return {
        "club_id": club.pk,
        "session_id": session.pk,
        "live_id": session.live_id,
        "rule_set_id": session.rule_set_id,
        "preset": "phenom",
        "number": 1,
        "text": invitation(player),
        "join_id": table.join_id,
        "round_key": table.round_key,
        "hand_id": hand.pk,
        "player_id": player.pk,
        "account_id": payee.pk,
        "payer_id": payer.pk,
        "payment_id": payment.pk,
        "dispute_id": dispute.pk,
        "notice_id": Notice.objects.get(user=owner, subject_id=doubted.pk).pk,
        "signed": off_text(owner.pk, Notice.Kind.DISPUTE_ANSWERED),
        "merge_id": merge_players(kept=player, merged=other).pk,
        "statement_id": Statement.objects.get(club=club, player=player).pk,
        "bundle_id": bundle.pk,
        "key_id": key.pk,
        "client_key": uuid.uuid4(),
        "import_id": imported.pk,
        "export_id": export.pk,
        "book_file_id": book_file.pk,
        "webhook_id": webhook.pk,
        "delivery_id": send_ping(webhook=webhook).pk,
        "job_id": Job.objects.filter(kind="settle", subject_id=session.pk).get().pk,
    }


def own_patterns() -> list[tuple[str, list[str]]]:
    """Name and arguments of every page of ours: not allauth's, nor the API, which has a matrix of its own."""
    found = []

    def walk(patterns, arguments):
        for pattern in patterns:
            mine = arguments + re.findall(r"<(?:uuid|slug|int|str):(\w+)>", str(pattern.pattern))
            if isinstance(pattern, URLResolver):
                if "allauth" not in str(pattern.urlconf_name):
                    walk(pattern.url_patterns, mine)
            elif isinstance(pattern, URLPattern) and pattern.name and not pattern.name.startswith("api-"):
                found.append((pattern.name, mine))

    walk(get_resolver().url_patterns, [])
    return found


def address_of(name: str, arguments: Sequence[str], ours: dict[str, object]) -> str:
    url = reverse(name, kwargs={argument: ours[argument] for argument in arguments})
    return f"{url}?payer={ours['payer_id']}&payee={ours['account_id']}" if name == "owed-why" else url


def furnish() -> list[str]:
    """Make a club with a session in every state and names that are hard on a page; the address of every page of it."""
    owner = User.objects.create_user(EMAIL, PASSWORD)
    club = create_club(owner=owner, name="Upstairs, behind the tea house", time_zone="Asia/Taipei")
    ours = one_of_everything(club, owner, HARD_NAMES, b'{"spec_version": "1.0"}\nno JSON at all\n')
    setups = ((ANA, BEN, CHI), (CHI, ANA, BEN))
    hands = [dict(zip(HARD_NAMES, dealt, strict=True)) for dealt in setups]
    running = play(club, hands, table="The table under the lamp in the back room, upstairs")
    void = running.hands.get(number=1)
    correct_hand(hand=void, based_on=1, deal=None, reason="Two cards were exposed.", author=owner)
    facts = {"rows": {"board_1": ["As", "Kd"]}, "out": []}
    keep_draft(session=running, client_key=uuid.uuid4(), facts=facts, based_on=0, author=owner)
    closed = play(club, hands, table="牌桌")
    close_session(session=closed)
    unplayed = play(club, [], table="Before the first hand")
    staked = open_for_stakes(club, names=HARD_NAMES, win_cap="current", rake_hundredths=500)
    add_hand(staked, hands[0], EVENING)
    seat_player(session=staked, number=4, name="Nobody Has Said Their Stake Yet")
    queens = read_hand(pineapple(), PRESETS)
    fantasyland = session_for(club=club, head=queens[0], author=None)
    record_hand(session=fantasyland, deal=queens[1], author=None)
    laid = open_table(club, names=HARD_NAMES)
    play_hand(laid, dict(zip(HARD_NAMES, FOULED.values(), strict=True)))
    surrendered = open_table(club, "chinese-naturals", HARD_NAMES)
    play_hand(surrendered, dict(zip(HARD_NAMES, (*NATURALS, {"surrendered": True}), strict=True)))
    jokers = open_table(club, "pineapple-jokers", HARD_NAMES)
    play_hand(jokers, dict(zip(HARD_NAMES, WITH_JOKER, strict=True)))
    open_round(session=running)
    dealt = play(club, [], table="Dealt by the house")
    whole_hand(dealt, open_round(session=dealt, is_dealt=True))
    open_round(session=dealt, is_dealt=True)
    scenes = [ours]
    for session in (running, closed, unplayed, staked, laid, surrendered, jokers, dealt):
        hand = session.hands.first()
        scenes.append({"session_id": session.pk} | ({"hand_id": hand.pk} if hand else {}))
    queue.run_to_end(request_luck(player=Player.objects.get(pk=ours["player_id"])).pk)
    presets = [reverse("rule-preset", args=[club.pk, preset]) for preset in ("chinese-naturals", "progressive")]
    forms = [f"{reverse('rule-sets', args=[club.pk])}?game={game}" for game in ("chinese", "pineapple")]
    plain = f"{reverse('hand-new', args=[jokers.pk])}?plain=1"
    others = [*presets, *forms, plain, reverse("seats", args=[fantasyland.pk]), *practice_addresses()]
    return _looked_at(owner, scenes) + others


def practice_addresses() -> list[str]:
    """Seven cards that were dealt, and what a setup of them is worth."""
    signed = deal("phenom-jokers").signed
    rows = ("top", "middle", "middle", "bottom", "bottom", "bottom", "bottom")
    chosen = {"deal": signed, "set": 1} | {f"card_{place}": row for place, row in enumerate(rows)}
    return [reverse("practice", query=query) for query in ({"deal": signed}, chosen)]


def _looked_at(owner: User, scenes: Sequence[dict[str, object]]) -> list[str]:
    """The addresses that answer with a whole page: not those that only take a form, give a file or a part."""
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(owner)
    everywhere = [reverse(name) for name, arguments in own_patterns() if not arguments] + ALLAUTH
    for place, scene in enumerate(scenes):
        everywhere += [
            address_of(name, arguments, scene)
            for name, arguments in own_patterns()
            if arguments and scene.keys() >= set(arguments) and (place == 0 or name in BY_STATE)
        ]
    pages = []
    for url in dict.fromkeys(everywhere):
        answer = client.get(url)
        if answer.status_code == 200 and not answer.streaming and "<html" in answer.text:
            pages.append(url)
    return pages
