"""No link leads to nothing: whoever may see a page may open what it links to."""

import re
from html import unescape

import pytest

from accounts.models import Player, User
from accounts.services import claim_player
from tests.everything import one_of_everything

pytestmark = pytest.mark.django_db

LINK = re.compile(r'<a\b[^>]*\bhref="([^"#]*)')
MOST_PAGES = 400


def walk(client, begin: str) -> tuple[set[str], list[str]]:
    """Every address that can be reached by links from ``begin``, and those that cannot be opened, with where from."""
    seen, broken, ahead = {begin}, [], [(begin, "")]
    while ahead:
        url, page = ahead.pop()
        answer = client.get(url)
        if answer.status_code >= 400:
            broken.append(f"{answer.status_code} {url} on {page}")
        if answer.streaming:
            b"".join(answer.streaming_content)
            continue
        targets = [answer["Location"]] if answer.status_code in {301, 302} else LINK.findall(answer.content.decode())
        path = url.partition("?")[0]
        for target in map(unescape, targets):
            target = path + target if target.startswith("?") else target or url
            # What a link chooses on a page is that page again.
            is_choice = path == target.partition("?")[0] and "before=" not in target
            if target.startswith("/") and not is_choice and target not in seen and "/logout" not in target:
                seen.add(target)
                ahead.append((target, url))
        assert len(seen) < MOST_PAGES
    return seen, broken


def test_an_owner_can_open_every_link(client, club, owner):
    one_of_everything(club, owner)
    client.force_login(owner)
    seen, broken = walk(client, "/")
    assert broken == []
    assert len(seen) > 40


def test_a_player_can_open_every_link(client, club, owner):
    ours = one_of_everything(club, owner)
    ben = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=Player.objects.get(club=club, name="Ben"), user=ben)
    client.force_login(ben)
    seen, broken = walk(client, "/")
    assert broken == []
    assert f"/sessions/{ours['session_id']}/settle" in seen
    assert f"/hands/{ours['hand_id']}/" in seen
