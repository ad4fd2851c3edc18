"""One POST to an address that a stranger gave: where it may go, how long it may take, how much may come back.

The name is resolved once, every address of it is checked, and the connection is made to one of the checked
addresses, so that a name that means another machine a moment later (DNS rebinding) cannot lead inside. Redirects
are not followed, no proxy is used, and the whole call has one deadline.
"""

import http.client
import io
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.faults import fault, sayable

LONGEST_URL: Final = 500
SECONDS: Final = 10.0
# Of an answer, its status line and headers included, no more than this is taken from the network ...
MOST_BYTES: Final = 64 * 1024
# ... and so much of its body is read, and kept.
BODY_READ: Final = 4 * 1024
BODY_KEPT: Final = 1024

# IANA's registries of special-purpose addresses (RFC 6890 and its updates), with multicast and what is reserved.
_CLOSED_V4: Final = [
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
]
# Only this part of IPv6 is given out to the public: outside it lie loopback, link-local, unique local, multicast,
# IPv4-mapped and NAT64 addresses. Inside it these are no machine of the public, or a tunnel to an IPv4 address.
_OPEN_V6: Final = ipaddress.IPv6Network("2000::/3")
_CLOSED_V6: Final = [
    ipaddress.IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
]


class CannotSend(Exception):
    """Why nothing was sent, or no answer came, in a sentence for the delivery log."""


@dataclass(frozen=True)
class Answer:
    """What came back: a status where there was one, the beginning of the body, or a sentence why there is none."""

    status: int | None = None
    body: str = ""
    error: str = ""
    retry_after_seconds: int = 0

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def check_url(url: str) -> None:
    """Raise ``ValidationError`` at ``/url`` for an address that nothing would ever be sent to.

    A name is looked up only when something is sent, because what it means can change.
    """
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        raise fault("/url", "url", _("That is no address. Write it like https://example.com/homerun.")) from None
    schemes = ["https", "http"] if settings.WEBHOOK_ALLOW_PRIVATE else ["https"]
    if parts.scheme not in schemes or not host or parts.port == 0:
        raise fault("/url", "url", _("Write an address that begins with https://, like https://example.com/homerun."))
    if len(url) > LONGEST_URL:
        raise fault(
            "/url",
            "url_length",
            _("That address is too long; at most %(most)d characters fit.") % {"most": LONGEST_URL},
        )
    if not all("!" <= letter <= "~" for letter in url):
        raise fault(
            "/url",
            "url_characters",
            _("Write the address in plain letters, without spaces: other letters of a name as xn--, of a path as %XX."),
        )
    if "@" in parts.netloc:
        raise fault("/url", "url_user", _("Leave name and password out of the address: the signature says who sends."))
    if "#" in url:
        raise fault("/url", "url_fragment", _("Leave out the part behind #: it is never sent."))
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return
    if not may_reach(address):
        raise fault("/url", "url_private", _("That address is not on the public internet."))


def may_reach(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is a machine of the public internet, or the installation allows others too."""
    if settings.WEBHOOK_ALLOW_PRIVATE:
        return True
    if isinstance(address, ipaddress.IPv6Address):
        return address in _OPEN_V6 and not any(address in network for network in _CLOSED_V6)
    return not any(address in network for network in _CLOSED_V4)


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send ``body`` to ``url`` and return what came back within ten seconds. Never raises for the other side."""
    deadline = time.monotonic() + SECONDS
    try:
        check_url(url)
        parts = urlsplit(url)
        places = _resolve(parts, deadline)
        with _connect(places, deadline) as plain, _secured(plain, parts, deadline) as connected:
            return _exchange(_Bounded(connected, deadline), parts, body, headers)
    except ValidationError as error:
        return Answer(error=" ".join(error.messages))
    except (CannotSend, OSError, http.client.HTTPException, ValueError) as error:
        return Answer(error=_sentence(error))


def _resolve(parts: SplitResult, deadline: float) -> list[Any]:
    """Every place that the name stands for now, all of them checked. Raises ``CannotSend``."""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found: list[Any] = []
    failed: list[OSError | UnicodeError] = []

    def look_up() -> None:
        try:
            found.extend(socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            failed.append(error)

    # The system's resolver takes no timeout: whoever waits for it does.
    thread = threading.Thread(target=look_up, name="resolver", daemon=True)
    thread.start()
    thread.join(_left(deadline))
    if thread.is_alive():
        raise TimeoutError
    if failed or not found:
        raise CannotSend(_("The name %(host)s is not known.") % {"host": parts.hostname})
    for _family, _kind, _protocol, _name, place in found:
        if not may_reach(ipaddress.ip_address(place[0])):
            raise CannotSend(
                _("%(host)s is %(address)s, which is not on the public internet; nothing was sent.")
                % {"host": parts.hostname, "address": place[0]}
            )
    return found


def _connect(places: list[Any], deadline: float) -> socket.socket:
    """A connection to the first of the places that takes one."""
    failed: OSError = TimeoutError()
    for family, kind, protocol, _name, place in places:
        connected = socket.socket(family, kind, protocol)
        try:
            connected.settimeout(_left(deadline))
            connected.connect(place)
        except OSError as error:
            connected.close()
            failed = error
        else:
            return connected
    raise failed


def _secured(connected: socket.socket, parts: SplitResult, deadline: float) -> socket.socket:
    """The connection inside TLS, with a certificate for the name that was resolved."""
    if parts.scheme != "https":
        return connected
    connected.settimeout(_left(deadline))
    return ssl.create_default_context().wrap_socket(connected, server_hostname=parts.hostname)


def _exchange(connected: "_Bounded", parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> Answer:
    """The request and the beginning of its answer."""
    line = http.client.HTTPConnection(parts.hostname or "", 0)
    line.sock = connected  # type: ignore[assignment]  # it has what http.client uses of a socket
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    line.request("POST", target, body, {"Host": parts.netloc, "Connection": "close", **headers})
    with line.getresponse() as answer:
        try:
            text = answer.read(BODY_READ)
        except http.client.IncompleteRead as cut:
            text = cut.partial
        after = answer.headers.get("Retry-After", "")
        return Answer(
            status=answer.status,
            body=sayable(" ".join(text.decode(errors="replace").split()), BODY_KEPT),
            retry_after_seconds=int(after) if after.isascii() and after.isdecimal() and len(after) < 10 else 0,
        )


class _Bounded:
    """What http.client uses of a socket, with an end in time; whoever opened the connection closes it."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self.connected, self.deadline = connected, deadline

    def sendall(self, data: bytes) -> None:
        self.connected.settimeout(_left(self.deadline))
        self.connected.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Answered(self.connected, self.deadline))

    def close(self) -> None:
        pass


class _Answered(io.RawIOBase):
    """What comes back, until a time and up to a number of bytes, however slowly or much the other side sends."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self.connected, self.deadline, self.bytes_left = connected, deadline, MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.bytes_left:
            return 0
        self.connected.settimeout(_left(self.deadline))
        count = self.connected.recv_into(memoryview(buffer)[: self.bytes_left])
        self.bytes_left -= count
        return count


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _sentence(error: Exception) -> str:
    """What went wrong on the way, for who looks at the delivery log."""
    if isinstance(error, CannotSend):
        return str(error)
    if isinstance(error, TimeoutError):
        return _("There was no answer within %(seconds)d seconds.") % {"seconds": SECONDS}
    if isinstance(error, ssl.SSLError):
        return _("The connection could not be secured: %(reason)s") % {"reason": sayable(str(error), 200)}
    if isinstance(error, OSError):
        return _("The connection failed: %(reason)s") % {"reason": sayable(error.strerror or str(error), 200)}
    return _("What came back is no answer of a web server.")
