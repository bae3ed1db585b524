"""Servers that stop and connections that are lost: nothing is answered unpaid, or paid twice."""

import secrets
import socket
import struct
import threading
import time
from contextlib import suppress
from itertools import count

import psycopg
import pytest

from twoworlds.release.ledger import Ledger, LedgerUnavailable, show, verify
from twoworlds.release.ledger.journal import locate

pytestmark = pytest.mark.postgresql


class Proxy:
    """A door to a server that can be shut at a chosen request, before it is heard or answered.

    A request is a plain query, or what ends with Sync; its answer ends with ReadyForQuery. What was
    asked when the door was shut is kept in ``cut``.
    """

    def __init__(self, port):
        self.upstream, self.cut, self._left, self._side = port, None, 0, None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def shut_at(self, request, side):
        """Shut the door once, at the given request from now, ``before`` or ``after`` it is done."""
        self.cut, self._left, self._side = None, request, side

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self):
        doors = []
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                break
            doors.append(threading.Thread(target=self._talk, args=(client,)))
            doors[-1].start()
        for door in doors:
            door.join()

    def _talk(self, client):
        server = socket.create_connection(("127.0.0.1", self.upstream))
        with client, server, suppress(ConnectionError):
            introduce(client, server)
            while True:
                asked = read_until(client, b"QSX")
                self._left -= 1
                if self._left == 0 and self._side == "before":
                    self.cut = b" ".join(asked)
                    return
                server.sendall(b"".join(asked))
                answered = b"".join(read_until(server, b"Z"))
                if self._left == 0:
                    self.cut = b" ".join(asked)
                    return
                client.sendall(answered)


def read_exactly(stream, size):
    content = b""
    while len(content) < size:
        more = stream.recv(size - len(content))
        if not more:
            raise ConnectionError
        content += more
    return content


def introduce(client, server):
    """Let them agree on who the client is, up to the first ReadyForQuery."""
    head = read_exactly(client, 4)
    server.sendall(head + read_exactly(client, struct.unpack("!i", head)[0] - 4))
    while True:
        said = read_until(server, b"RZ")
        client.sendall(b"".join(said))
        if said[-1][:1] == b"Z":
            return
        if struct.unpack("!i", said[-1][5:9])[0] in (10, 11):  # a step of SASL, to be answered
            server.sendall(b"".join(read_until(client, b"p")))


def read_until(stream, kinds):
    """Return messages up to one of the given kinds."""
    messages = []
    while not messages or messages[-1][:1] not in kinds:
        head = read_exactly(stream, 5)
        messages.append(head + read_exactly(stream, struct.unpack("!i", head[1:])[0] - 4))
    return messages


@pytest.fixture
def proxy(durable_server):
    door = Proxy(durable_server.port)
    yield door
    door.close()


def through(proxy, address):
    """The same address, by way of the proxy, which reads no encryption."""
    here = address.replace(f":{proxy.upstream}/", f":{proxy.port}/")
    return here + "&sslmode=disable&gssencmode=disable"


def pay(ledger):
    return ledger.pay("people", "ann", "q", "0.1", secrets.token_hex)


def counts(address):
    found = show(address)
    return found["charges"], found["answered"]


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_connection_lost_at_any_request_leaves_no_answer_unpaid_or_paid_twice(
    proxy, new_address, side
):
    """The charge and the answer are there or not when a COMMIT is lost; a retry is right in both
    cases, with the ledger that lost its connection and with a new one."""
    commits = []
    for request in count(1):
        address = new_address()
        with Ledger.create(address) as ledger:
            ledger.set_cap("people", "epsilon=1")
            ledger.set_cap("people", "epsilon=1", analyst="ann")
        mark = locate(address).mark
        with Ledger.open(through(proxy, address), mark=mark) as ledger:
            proxy.shut_at(request, side)
            try:
                given = {pay(ledger)}
            except LedgerUnavailable:
                given = set()
            if proxy.cut is None:
                break
            if b"COMMIT\0" in proxy.cut:
                assert not given
                commits.append(counts(address))
            given.add(pay(ledger))
        with Ledger.open(address) as ledger:
            given.add(pay(ledger))
        assert len(given) == 1
        assert counts(address) == (1, 1)
        assert show(address)["datasets"][0]["spent"]["epsilon"]["exact"] == "1/10"
        assert verify(address)["ok"]
    proxy.shut_at(0, None)
    assert request > 8
    assert commits == {"before": [(0, 0), (1, 0)], "after": [(1, 0), (1, 1)]}[side]


def test_a_connection_that_died_while_nothing_was_done_is_made_anew(address):
    with Ledger.open(address) as ledger:
        pay(ledger)
        with psycopg.connect(address, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        assert ledger.left("people").epsilon == 1 - ledger.spent("people").epsilon
        pay(ledger)
    assert counts(address) == (1, 1)


@pytest.fixture
def private_server(new_postgresql_server):
    return new_postgresql_server(durable=True)


@pytest.fixture
def private(private_server, folder, monkeypatch):
    """The address of a ledger on a server that can be stopped."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    address = private_server.address()
    with Ledger.create(address) as ledger:
        ledger.set_cap("people", "epsilon=1")
        ledger.set_cap("people", "epsilon=1", analyst="ann")
    return address


def test_a_server_that_stops_in_the_middle_answers_nothing_until_it_is_back(
    private_server, private
):
    def stop():
        private_server.stop()
        return "drawn and never shown"

    with Ledger.open(private, timeout=2) as ledger:
        with pytest.raises(LedgerUnavailable, match="cannot be reached") as caught:
            ledger.pay("people", "ann", "q", "0.1", stop)
        assert "nothing was answered" in str(caught.value)
        for use in (pay, lambda ledger: ledger.left("people")):
            with pytest.raises(LedgerUnavailable, match="cannot be reached"):
                use(ledger)
        with pytest.raises(LedgerUnavailable, match="cannot be reached"):
            Ledger.open(private)
        private_server.start()
        assert counts(private) == (1, 0)
        assert pay(ledger) == pay(ledger) != "drawn and never shown"
    assert counts(private) == (1, 1)


def test_a_standby_can_be_looked_at_and_not_charged(private_server, private):
    private_server.stop()
    (private_server.data / "standby.signal").touch()
    private_server.start()
    assert verify(private)["ok"]
    with Ledger.open(private) as ledger:
        with pytest.raises(LedgerUnavailable, match="the server is a standby"):
            pay(ledger)
        assert ledger.left("people").epsilon == 1


def set_server(address, *settings):
    with psycopg.connect(address, autocommit=True) as connection:
        for setting in settings:
            connection.execute(f"ALTER SYSTEM SET {setting}")
        connection.execute("SELECT pg_reload_conf()")


def wait_for(address, name, value):
    for _ in range(500):
        with psycopg.connect(address) as connection:
            if connection.execute(f"SHOW {name}").fetchone()[0] == value:
                return
    raise AssertionError(f"{name} did not become {value}")


def test_a_server_that_does_not_sync_is_refused(private):
    set_server(private, "fsync = off")
    wait_for(private, "fsync", "off")
    with pytest.raises(LedgerUnavailable, match="fsync=off"):
        Ledger.open(private)


def give_up_waiting_for_a_standby(address):
    """Cancel the COMMIT that waits for one, as an administrator would."""
    sql = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    with psycopg.connect(address, autocommit=True) as connection:
        while not connection.execute(sql).fetchall():
            time.sleep(0.01)


def test_a_charge_that_no_standby_confirmed_is_not_answered(private):
    with Ledger.open(private) as ledger:
        set_server(private, "synchronous_standby_names = 'nobody'")
        wait_for(private, "synchronous_standby_names", "nobody")
        helper = threading.Thread(target=give_up_waiting_for_a_standby, args=(private,))
        helper.start()
        with pytest.raises(LedgerUnavailable, match="surely durable"):
            ledger.pay("people", "ann", "q", "0.1", lambda: pytest.fail("computed"))
        helper.join()
        assert counts(private) == (1, 0)
        set_server(private, "synchronous_standby_names = ''")
        wait_for(private, "synchronous_standby_names", "")
        pay(ledger)
    assert counts(private) == (1, 1)
