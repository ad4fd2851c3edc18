"""A web server on this machine that takes webhooks and answers as a test says, and the worker that calls it."""

import base64
import hashlib
import hmac
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from django.db.models import F

from jobs import queue
from jobs.models import Job
from settlement.models import Delivery


@dataclass
class Got:
    """One request that arrived."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """What arrived, and what is answered: ``answers`` in turn as (status, headers, body), then 204 for ever."""

    port: int = 0
    got: list[Got] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    # The name that the other side asked for in its TLS greeting.
    asked_names: list[str | None] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks?club=7"

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.answers.append((status, {name.replace("_", "-"): text for name, text in headers.items()}, body))


@contextmanager
def receiving(secured: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver that listens, with TLS where a context is given."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(Got(self.path, {name.lower(): text for name, text in self.headers.items()}, body))
            status, headers, text = receiver.answers.pop(0) if receiver.answers else (204, {}, b"")
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            # Whoever hangs up while a huge answer is written is what some tests are about.
            pass

    server = Server(("127.0.0.1", 0), Handler)
    if secured is not None:
        secured.sni_callback = lambda _socket, name, _context: receiver.asked_names.append(name)
        server.socket = secured.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def answering(*pieces: bytes, pause: float = 0.0) -> Iterator[int]:
    """A bare socket that takes one request and sends these bytes, one piece after the other; the port is given.

    With a ``pause`` the last piece is sent again and again, until the other side hangs up.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        try:
            taken, _address = listening.accept()
        except OSError:
            return
        with taken:
            try:
                taken.recv(65536)
                for piece in pieces:
                    taken.sendall(piece)
                while pause and not over.wait(pause):
                    taken.sendall(pieces[-1])
            except OSError:
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        over.set()
        listening.close()
        thread.join()


def turn(delivery: Delivery) -> Delivery:
    """Let the delivery's job have a turn, where it is due."""
    for job_id in Job.objects.filter(subject_id=delivery.pk, status="queued").values_list("pk", flat=True):
        queue.run(job_id)
    delivery.refresh_from_db()
    return delivery


def pass_time(delivery: Delivery, wait: timedelta) -> None:
    """As if so much time had passed: the clock of jobs is the database's and cannot be set."""
    Job.objects.filter(subject_id=delivery.pk).update(not_before=F("not_before") - wait)


def signature(secret: str, headers: dict[str, str], body: bytes) -> str:
    """By the specification's words alone: HMAC-SHA256 of id.timestamp.body with the decoded secret, in base64."""
    key = base64.b64decode(secret.split("_")[1])
    signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
