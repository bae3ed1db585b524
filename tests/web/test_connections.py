"""Connections that say nothing, too slowly, too much or in odd ways; and those that only wait."""

import asyncio
import socket
import threading
import time
from contextlib import closing, suppress

import pytest
import uvicorn

from tests.web.test_app import Tried
from twoworlds.web.server import OPTIONS, HeaderTimeout

HEAD = b"Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
GET = b"GET /api/v1/health HTTP/1.1\r\n" + HEAD + b"\r\n"


class Hasty(HeaderTimeout):
    seconds = 0.4


class Listening:
    """An application behind the protocol of the service, in a thread of this process."""

    def __init__(self, app):
        options = {**OPTIONS, "lifespan": "off", "log_config": None}
        config = uvicorn.Config(app, http=Hasty, **options)
        self.server = uvicorn.Server(config)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def connect(self):
        return closing(socket.create_connection(("127.0.0.1", self.port), timeout=30))

    def close(self):
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    made = Tried(None, tmp_path_factory.mktemp("web") / "accounts", body_seconds=0.4)
    made.listening = Listening(made.app)
    yield made
    made.listening.close()
    made.service.close()


def everything(connection):
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionError:  # cut off while we were still sending
        pass
    return b"".join(parts)


def sent(tried, text):
    with tried.listening.connect() as connection:
        with suppress(ConnectionError):  # cut off while we are still sending
            connection.sendall(text)
        return everything(connection)


@pytest.mark.few(1)
@pytest.mark.parametrize("begun", [b"", b"GET / HT", GET[:-2], GET + b"GET / HTTP/1.1\r\nHos"])
def test_a_request_that_does_not_come_is_not_waited_for(tried, begun):
    answer = sent(tried, begun)
    assert answer.count(b"HTTP/1.1 200") == begun.count(GET)


def test_a_request_that_drips_is_not_waited_for(tried):
    with tried.listening.connect() as connection, pytest.raises((BrokenPipeError, ConnectionError)):
        _drip(connection, GET * 100)


def _drip(connection, text):
    for letter in text:
        connection.sendall(bytes([letter]))
        time.sleep(0.1)


def test_a_body_that_drips_is_not_waited_for(tried):
    head = b"POST /api/v1/mechanism HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    with tried.listening.connect() as connection:
        connection.sendall(head)
        answer = b""
        for _ in range(100):
            try:
                connection.sendall(b"1\r\n \r\n")
                time.sleep(0.05)
                connection.setblocking(False)
                answer += connection.recv(65536)
                break
            except BlockingIOError:
                connection.setblocking(True)
        assert b" 408 " in answer.split(b"\r\n")[0]


def test_an_answer_that_takes_long_is_waited_for():
    async def slow(scope, receive, send):
        await asyncio.sleep(3 * Hasty.seconds)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    listening = Listening(slow)
    try:
        with listening.connect() as connection:
            connection.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            assert everything(connection).startswith(b"HTTP/1.1 204")
    finally:
        listening.close()


@pytest.mark.slow
def test_requests_that_come_together_are_answered_one_after_the_other(tried):
    answer = sent(tried, GET * 5)
    assert answer.count(b"HTTP/1.1 200 OK") == 5


def test_what_follows_a_refused_body_is_no_request(tried):
    inner = b"GET /api/v1/health HTTP/1.1\r\n" + HEAD + b"\r\n"
    head = b"POST /api/v1/mechanism HTTP/1.1\r\n" + HEAD + b"Content-Length: 999999\r\n\r\n"
    answer = sent(tried, head + inner)
    assert answer.startswith(b"HTTP/1.1 413")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "text",
    [
        b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"GET /api/v1/health HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: 127.0.0.1\r\n\r\n",
        b"GET http://127.0.0.1/api/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET /api/v1/health HTTP/1.1\r\n\r\n",
        b"GET /api/v1/health HTTP/1.0\r\n\r\n",
        b"GET /api/v1/health\r\n\r\n",
        b"POST /api/v1/mechanism HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v1/mechanism HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n"
        b"Content-Length: 2\r\n\r\n{}",
        b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nA: " + b"x" * 3_000_000 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\0" * 1000,
    ],
)
def test_odd_requests_are_refused(tried, text):
    answer = sent(tried, text)
    assert answer == b"" or answer.split(b" ")[1] in (b"400", b"403", b"431"), answer[:100]
    assert b'"ok"' not in answer


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PUT", "DELETE", "PATCH", "QUERY", "BREW"])
@pytest.mark.parametrize("path", ["/api/v1/release", "/", "/api/v1/health"])
def test_other_methods_do_nothing(tried, method, path):
    answer = tried.ask(method, path)
    assert answer.status_code in (404, 405)
    assert set(answer.json()) == {"error"}
    assert tried.log[-1]["method"] in (method, "other")


def test_many_silent_connections_keep_nobody_out_for_long(tried):
    silent = [socket.create_connection(("127.0.0.1", tried.listening.port)) for _ in range(200)]
    try:
        once = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        assert sent(tried, once).startswith(b"HTTP/1.1 200")
        for connection in silent:
            connection.settimeout(30)
            assert connection.recv(1) == b"", "it is closed"
    finally:
        for connection in silent:
            connection.close()
