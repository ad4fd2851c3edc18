"""Where a webhook may go, and how little the other side can do with the connection."""

import datetime
import ipaddress
import socket
import ssl
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.exceptions import ValidationError

from settlement import webhook_client
from settlement.webhook_client import check_url, may_reach, post
from tests.receiver import answering, receiving


@pytest.fixture
def private_allowed(settings):
    settings.WEBHOOK_ALLOW_PRIVATE = True


def resolving(monkeypatch, *addresses: str) -> list[str]:
    """Make every name stand for these addresses; the list says which names were asked for."""
    asked = []

    def look_up(host, port, *arguments, **options):
        asked.append(host)
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (address, port, 0, 0) if ":" in address else (address, port),
            )
            for address in addresses
        ]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


# Each with its entry in IANA's special-purpose registries, or the RFC that says what it is.
CLOSED = [
    "0.0.0.0",  # noqa: S104  (unspecified, RFC 1122: nothing listens there)
    "0.1.2.3",
    "10.0.0.1",  # private, RFC 1918
    "10.255.255.255",
    "100.64.0.1",  # carrier-grade NAT, RFC 6598
    "100.127.255.255",
    "127.0.0.1",  # loopback, RFC 1122
    "127.255.255.254",
    "169.254.0.1",  # link-local, RFC 3927
    "169.254.169.254",  # the metadata service of clouds
    "172.16.0.1",  # private, RFC 1918
    "172.31.255.255",
    "192.0.0.8",  # IETF protocol assignments, RFC 6890
    "192.0.2.1",  # documentation, RFC 5737
    "192.88.99.1",  # 6to4 relay, RFC 7526
    "192.168.1.1",  # private, RFC 1918
    "198.18.0.1",  # benchmarking, RFC 2544
    "198.19.255.255",
    "198.51.100.1",  # documentation
    "203.0.113.1",
    "224.0.0.1",  # multicast, RFC 5771
    "239.255.255.255",
    "240.0.0.1",  # reserved, RFC 1112
    "255.255.255.255",  # broadcast
    "::",  # unspecified, RFC 4291
    "::1",  # loopback
    "::127.0.0.1",  # IPv4-compatible
    "::ffff:127.0.0.1",  # IPv4-mapped
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",  # NAT64, RFC 6052
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",  # NAT64 of a network's own, RFC 8215
    "100::1",  # discard-only, RFC 6666
    "2001::1",  # Teredo, RFC 4380
    "2001:10::1",  # ORCHID, RFC 4843
    "2001:db8::1",  # documentation, RFC 3849
    "2002:7f00:1::1",  # 6to4 of 127.0.0.1, RFC 3056
    "3fff::1",  # documentation, RFC 9637
    "5f00::1",  # segment routing, RFC 9602
    "fc00::1",  # unique local, RFC 4193
    "fd00:ec2::254",  # the metadata service of clouds, over IPv6
    "fe80::1",  # link-local, RFC 4291
    "fe80::1%1",
    "fec0::1",  # site-local, RFC 3879
    "ff02::1",  # multicast
]
# Well-known servers of the public, and the neighbours of closed networks.
OPEN = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
]


@pytest.mark.parametrize("address", CLOSED)
def test_what_is_not_the_public_internet_is_refused_when_the_name_is_resolved(monkeypatch, address):
    resolving(monkeypatch, address)
    monkeypatch.setattr(socket.socket, "connect", lambda *place: pytest.fail("connected"))
    answer = post("https://hooks.example/in", b"{}", {})
    assert answer.status is None
    assert answer.error == f"hooks.example is {address}, which is not on the public internet; nothing was sent."


@pytest.mark.parametrize("address", OPEN)
def test_what_is_the_public_internet_is_not_refused(address):
    assert may_reach(ipaddress.ip_address(address))


def test_one_closed_address_among_several_is_a_refusal(monkeypatch):
    resolving(monkeypatch, "8.8.8.8", "10.0.0.1")
    monkeypatch.setattr(socket.socket, "connect", lambda *place: pytest.fail("connected"))
    assert "10.0.0.1" in post("https://hooks.example/in", b"{}", {}).error


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "localhost", "017700000001"])
def test_other_spellings_of_this_machine_are_refused_too(host):
    # Not patched: this is what the system's resolver makes of them.
    assert (
        "127.0.0.1" in post(f"https://{host}/", b"{}", {}).error or "::1" in post(f"https://{host}/", b"{}", {}).error
    )


def test_the_name_is_resolved_once_and_the_checked_address_is_connected_to(monkeypatch):
    """A name that stands for this machine the second time (DNS rebinding) gains nothing."""
    first, asked, connected = ["8.8.8.8"], [], []

    def look_up(host, port, *arguments, **options):
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (first.pop() if first else "127.0.0.1", port))]

    def connect(self, place):
        connected.append(place)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket.socket, "connect", connect)
    assert post("https://rebinding.example/in", b"{}", {}).error == "The connection failed: Connection refused"
    assert (asked, connected) == (["rebinding.example"], [("8.8.8.8", 443)])


def test_the_next_address_is_tried_when_one_does_not_answer(monkeypatch, private_allowed):
    with receiving() as receiver, socket.create_server(("127.0.0.1", 0)) as closed:
        free = closed.getsockname()[1]
        closed.close()
        places = [("127.0.0.1", free), ("127.0.0.1", receiver.port)]
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **options: found)
        assert post("http://hooks.example/in", b"{}", {}).status == 204


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("", "url"),
        ("example.com/in", "url"),
        ("ftp://example.com/in", "url"),
        ("http://example.com/in", "url"),
        ("https:///in", "url"),
        ("https://example.com:0/in", "url"),
        ("https://example.com:70000/in", "url"),
        ("https://[::1/in", "url"),
        ("https://user:word@example.com/in", "url_user"),
        ("https://example.com@127.0.0.1/in", "url_user"),
        ("https://example.com/in#there", "url_fragment"),
        ("https://example.com/a b", "url_characters"),
        ("https://example.com/in\r\nX: y", "url_characters"),
        ("https://bücher.example/in", "url_characters"),
        ("https://example.com/" + "a" * 481, "url_length"),
        ("https://127.0.0.1/in", "url_private"),
        ("https://[::1]:8443/in", "url_private"),
        ("https://169.254.169.254/latest", "url_private"),
    ],
)
def test_an_address_that_nothing_would_be_sent_to_is_refused_at_once(url, code):
    with pytest.raises(ValidationError) as refused:
        check_url(url)
    (error,) = refused.value.error_list
    assert (error.code, error.pointer) == (code, "/url")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com:8443/in?club=7&x=%C3%BC",
        "https://8.8.8.8/in",
        "https://[2606:4700:4700::1111]/in",
        "https://xn--bcher-kva.example/in",
        "https://example.com/" + "a" * 480,
    ],
)
def test_other_addresses_are_taken(url):
    check_url(url)


def test_http_is_for_who_allows_private_addresses(settings):
    with receiving() as receiver:
        assert "https://" in post(receiver.url, b"{}", {}).error
        settings.WEBHOOK_ALLOW_PRIVATE = True
        assert post(receiver.url, b'{"a":1}', {"webhook-id": "msg_1"}).status == 204
    (got,) = receiver.got
    assert (got.path, got.body, got.headers["webhook-id"]) == ("/hooks?club=7", b'{"a":1}', "msg_1")
    assert got.headers["host"] == f"127.0.0.1:{receiver.port}"


def test_a_redirect_is_an_answer_and_is_not_followed(private_allowed):
    with receiving() as there, receiving() as receiver:
        receiver.answer(302, Location=there.url)
        assert post(receiver.url, b"{}", {}).status == 302
    assert (len(receiver.got), len(there.got)) == (1, 0)


def test_of_a_huge_answer_only_the_beginning_is_read_and_kept(private_allowed):
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with answering(head + b"word \x00\xff" * 100, b"x" * 1_000_000, pause=0.001) as port:
        answer = post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert (answer.status, len(answer.body)) == (200, 1024)
    # NUL cannot be kept by PostgreSQL, and what is no UTF-8 by nobody.
    assert answer.body.startswith("word \ufffd\ufffdword \ufffd\ufffd")


def test_an_answer_that_never_begins_is_cut(private_allowed):
    # http.client reads on for as long as it is told to go on; what ends it here is the number of bytes.
    with answering(b"HTTP/1.1 100 Continue\r\n\r\n" * 100, pause=0.0001) as port:
        answer = post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert answer.status is None
    assert answer.error == "What came back is no answer of a web server."


@pytest.mark.parametrize("said", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 two\r\n\r\n"])
def test_what_is_no_answer_is_said_to_be_none(private_allowed, said):
    with answering(said) as port:
        answer = post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert answer.status is None
    assert answer.error


@pytest.mark.parametrize("pieces", [(b"HTTP/1.1 200 OK\r\nX: ", b"x"), (b"HTTP/1.1 200 OK\r\n\r\n", b"x")])
def test_who_sends_a_letter_at_a_time_is_cut_off_at_the_deadline(private_allowed, monkeypatch, pieces):
    monkeypatch.setattr(webhook_client, "SECONDS", 0.5)
    # A letter every 20 ms would keep a timeout of single reads from ever running out; 64 kB would take 20 minutes.
    with answering(*pieces, pause=0.02) as port:
        answer = post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert answer.error.startswith("There was no answer within")


def test_a_resolver_that_hangs_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(webhook_client, "SECONDS", 0.2)
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **options: [over.wait(30)])
    answer = post("https://hooks.example/in", b"{}", {})
    over.set()
    assert answer.error.startswith("There was no answer within")


def test_a_name_that_nobody_knows_is_said(monkeypatch):
    def look_up(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert post("https://nobody.example/in", b"{}", {}).error == "The name nobody.example is not known."


@pytest.fixture
def certificate(tmp_path, monkeypatch) -> ssl.SSLContext:
    """A server's certificate for hooks.example, which this machine trusts for one test."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "server.pem"
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(text + made.public_bytes(serialization.Encoding.PEM))
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def test_tls_asks_for_the_name_and_wants_its_certificate(monkeypatch, certificate, private_allowed):
    resolving(monkeypatch, "127.0.0.1")
    with receiving(certificate) as receiver:
        assert post(f"https://hooks.example:{receiver.port}/in", b"{}", {}).status == 204
        assert receiver.got[0].headers["host"] == f"hooks.example:{receiver.port}"
        assert receiver.asked_names == ["hooks.example"]
        other = post(f"https://other.example:{receiver.port}/in", b"{}", {})
        assert other.error.startswith("The connection could not be secured:")
        assert len(receiver.got) == 1


def test_a_certificate_that_nobody_vouches_for_is_refused(monkeypatch, certificate, private_allowed):
    monkeypatch.delenv("SSL_CERT_FILE")
    resolving(monkeypatch, "127.0.0.1")
    with receiving(certificate) as receiver:
        answer = post(f"https://hooks.example:{receiver.port}/in", b"{}", {})
    assert answer.error.startswith("The connection could not be secured:")
    assert receiver.got == []
