"""Six phones of one table that ask every so often, act, and look at the open cards, on SQLite.

python -m tests.bench.phones
"""

import http.client
import json
import re
from functools import partial
from typing import Any, Final

from tests.bench.served import Calls, measured, served

SEATS: Final = 6
ROUNDS: Final = 12
# A phone asks every two seconds; here it asks as often while the others act, without waiting in between.
POLLS: Final = 10
LOOKS: Final = 100
_TABLE: Final = """
from accounts.models import User
from accounts.services import create_club, players_named
from django.utils import timezone
from hands.phones import open_round
from hands.scoring.taiwanese import PRESETS
from hands.services import open_session
club = create_club(owner=User.objects.create_user("bench@example.com"), name="Bench")
players = players_named(club=club, names=dict(enumerate(["Ana", "Ben", "Chi", "Dora", "Emil", "Fay"], start=1)))
session = open_session(club=club, table="Bench", rules=PRESETS["phenom"], rule_set_name="phenom", point_value_minor=50,
    currency="USD", started_at=timezone.now(), players=players, author=None)
table = open_round(session=session)
print(table.join_id, table.round_key)
"""
DECK: Final = [rank + suit for suit in "shdc" for rank in "AKQJT98765432"]


def measure() -> list[dict[str, Any]]:
    with served(_TABLE, {}) as (port, (join_id, round_key)):
        clients = [partial(_Phone(port, f"/table/{join_id}/").act, seat, round_key) for seat in range(1, SEATS + 1)]
        return [measured("phones-sqlite", f"{SEATS} phones at once: polls, taps, looks", clients)]


class _Phone:
    """A browser as far as the service sees it: one connection, and its cookies."""

    def __init__(self, port: int, table: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._table = table
        self._cookies: dict[str, str] = {}

    def act(self, seat: int, round_key: str, calls: Calls) -> None:
        """Take a seat, lay its cards over and over and ask in between, lock them, and look at what is open."""
        _status, page, _tag = self._call("GET")
        csrf = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
        form = f"csrfmiddlewaretoken={csrf}&seat={seat}"
        self._call("POST", "seat", form, {"Content-Type": "application/x-www-form-urlencoded"})
        tag, revision = "", 0
        cards = DECK[7 * (seat - 1) : 7 * seat]
        sent = {"Content-Type": "application/json", "X-CSRFToken": csrf}
        for laid in list(range(1, 8)) * ROUNDS:
            rows = {"top": cards[:1], "middle": cards[1 : min(3, laid)], "bottom": cards[3:laid]}
            facts = {"rows": {f"{row}_{seat}": held for row, held in rows.items() if held}, "out": []}
            with calls.timed(200) as answered:
                body = json.dumps({"based_on": revision, "facts": facts})
                status, text, _tag = self._call("POST", f"setups/{round_key}", body, sent)
                answered(status)
            revision = json.loads(text).get("revision", revision)
            for _poll in range(POLLS):
                with calls.timed(200, 304) as answered:
                    status, _text, tag = self._call("GET", f"state?setting={round_key}", "", {"If-None-Match": tag})
                    answered(status)
        with calls.timed(200) as answered:
            answered(self._call("POST", f"setups/{round_key}/confirm", body, sent)[0])
        # All are open soon: everybody's chances, worked out at each look.
        for _look in range(LOOKS):
            with calls.timed(200) as answered:
                answered(self._call("GET", "state")[0])

    def _call(
        self, method: str, path: str = "", body: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Status, text and ETag of the answer."""
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        self._connection.request(method, f"{self._table}{path}", body, (headers or {}) | cookies)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _equals, rest = cookie.partition("=")
            self._cookies[name] = rest.partition(";")[0]
        return answer.status, text, answer.headers.get("ETag") or ""


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
