"""A club's program in Python: models and calls are made from the service's own document."""

import json
import os
import sys

from homerun_client.api.hands import get_hand, record_hand
from homerun_client.api.players import add_player
from homerun_client.api.sessions import list_sessions
from homerun_client.client import AuthenticatedClient
from homerun_client.models import HandDocumentRequest, NewPlayerRequest

client = AuthenticatedClient(base_url=os.environ["HOMERUN_URL"], token=os.environ["HOMERUN_KEY"], prefix="Api-Key")
hand = HandDocumentRequest.from_dict(json.loads(os.environ["HOMERUN_HAND"]))
recorded = record_hand.sync(client=client, body=hand, idempotency_key="python")
read = get_hand.sync(recorded.id, client=client)
refused = add_player.sync(client=client, body=NewPlayerRequest(name=""))
sessions = list_sessions.sync(client=client, limit=1)
found = {
    "number": read.number,
    "points": recorded.points,
    "sessions": len(sessions.results),
    "refused": refused.errors[0].pointer,
}
sys.stdout.write(json.dumps(found))
