"""Subjects for tests, named by python:tests.attacks.audit.subjects:name."""

import os
import random
import sys
import time

__all__ = [
    "coin",
    "crashes",
    "dies",
    "exits",
    "hangs",
    "makes",
    "mixed",
    "nothing",
    "number",
    "prints",
    "signed",
    "slow_at_last",
    "three",
    "wide",
]

number = 3
_calls = []


def coin(database, rng):
    """One bit, kept with probability 3/4; an error on databases that are no numbers."""
    return int(rng.random() < 0.25 + 0.5 * (database > 0))


def crashes(database):
    raise TypeError("never")


def hangs(database):
    while True:
        time.sleep(1)


def slow_at_last(database):
    _calls.append(database)
    if len(_calls) > 400:
        time.sleep(60)
    return random.random()


def dies(database):
    os._exit(3)


def exits(database):
    if database:
        sys.exit(3)
    return 0


def wide(database, rng):
    """A long vector of which one entry tells."""
    found = rng.integers(0, 2, 30_000)
    found[777] = database if rng.random() < 0.9 else 1 - database
    return found


def signed(database, rng):
    return -0.0 if rng.random() < 0.1 + 0.8 * database else 0.0


def nothing():
    return 1


def three(database, rng, more):
    return 1


def prints(database, rng):
    print("to standard output, where it must not disturb")  # noqa: T201
    return coin(database, rng)


def makes():
    return coin


def mixed(database, rng):
    """Many types, an error among them; only the error depends on the database."""
    which = int(rng.integers(7))
    if which == 0 and database > 0:
        raise ValueError(database)
    return (None, float("nan"), [1, "x"], {"a": 2.5}, "text", 7, True)[which]


class Randomiser:
    """What diffprivlib's mechanisms look like from outside; the noise is half of what is needed."""

    epsilon, delta, sensitivity = 1.0, 0.0, 2.0

    def randomise(self, value):
        return round(value + random.choice((-1, 1)) * random.expovariate(1.0), 4)


randomiser = Randomiser()


# --- what a hostile process may hand over ---------------------------------------------------------


def _pipe():
    """The end of the pipe to the audit, which a subject can find by trying."""
    import stat

    for handle in range(3, 64):
        try:
            mode = os.fstat(handle).st_mode
            if stat.S_ISFIFO(mode) and os.write(handle, b"") == 0:
                return handle
        except OSError:
            continue
    raise LookupError


class Bomb:
    """Unpickling it makes the file whose name it holds."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def pickles(database):
    import pickle

    os.write(_pipe(), pickle.dumps(("done", Bomb(database))))
    return 0


def babbles(database):
    os.write(_pipe(), b"\xff" * 100)
    return 0


def writes_json(database):
    body = b'["done", [[1], "yes"]]'
    os.write(_pipe(), len(body).to_bytes(8, "big") + body)
    return 0


def promises_much(database):
    os.write(_pipe(), (1 << 40).to_bytes(8, "big"))
    return 0


def promises_more_than_it_sends(database):
    os.write(_pipe(), (1 << 20).to_bytes(8, "big"))
    time.sleep(60)


def with_a_setting(database, epsilon=1.0):
    """The generator must not be taken for epsilon."""
    return database + random.expovariate(epsilon)
