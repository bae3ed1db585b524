"""Random bits: independent of each other, across threads, processes and keys."""

from __future__ import annotations

import copy
import os
import pickle
import threading
import warnings

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from twoworlds.errors import InvalidInput
from twoworlds.release.noise import SystemBits
from twoworlds.release.noise import bits as module

COUNT = 1000  # words; two equal ones among ten thousand have a probability below 2^-38


def forked(work):
    """Return what ``work()``, an array of words, gives in a child process."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # later Pythons warn of threads
        child = os.fork()
    if child == 0:
        try:
            os.write(write, work().tobytes())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return np.frombuffer(said, dtype=np.uint64)


def all_different(*arrays):
    together = np.concatenate(arrays)
    return len(np.unique(together)) == len(together)


def test_words_are_64_bits_and_never_repeat():
    source = SystemBits()
    first, second = source.words(COUNT), source.words(COUNT)
    assert first.dtype == np.uint64
    assert len(first) == COUNT
    assert all_different(first, second, SystemBits().words(COUNT))
    words = source.words(50_001)  # several buffers
    assert len(words) == 50_001
    assert np.count_nonzero(words[-100:]) == 100
    few = source.few(9)
    assert len({*few, *words.tolist()}) == 50_010
    with pytest.raises(TypeError):
        SystemBits(1)  # no seed


def test_every_bit_is_set_half_of_the_time():
    """False alarms: 64 bits at 7 standard deviations, below 10^-9."""
    count = 1 << 16
    words = SystemBits().words(count)
    for bit in range(64):
        ones = int(((words >> np.uint64(bit)) & np.uint64(1)).sum())
        assert abs(ones - count / 2) < 7 * count**0.5 / 2


@pytest.mark.parametrize("count", [-1, 0.5, True, "many", None])
def test_rejects_a_count_that_is_no_whole_number(count):
    with pytest.raises(InvalidInput):
        SystemBits().words(count)


def test_a_key_is_replaced_after_its_life(monkeypatch):
    monkeypatch.setattr(module, "KEY_LIFE", 100)
    asked = []
    monkeypatch.setattr(
        module, "_counter_mode", lambda key, nonce: asked.append(key) or _stream(key, nonce)
    )
    words = SystemBits().words(125)  # 1000 bytes
    assert len(asked) == len(set(asked)) == 10
    assert all(len(key) == 32 for key in asked)
    assert all_different(words)


def _stream(key, nonce):
    return Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor()


def test_the_stream_is_aes_256_in_counter_mode(monkeypatch):
    """Block i of the stream is the encryption of nonce + i, here block by block without CTR."""
    taken = []
    monkeypatch.setattr(os, "urandom", lambda n: taken.append(bytes(range(n))) or taken[-1])
    words = SystemBits().words(64)
    key, nonce = taken
    block = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    start = int.from_bytes(nonce, "big")
    expected = b"".join(block.update((start + i).to_bytes(16, "big")) for i in range(32))
    assert words.astype("<u8").tobytes() == expected


def test_a_child_process_never_repeats_its_parent():
    source = SystemBits()
    before = source.words(COUNT)
    child = forked(lambda: source.words(COUNT))
    another = forked(lambda: source.words(COUNT))
    assert len(child) == len(another) == COUNT
    assert all_different(before, child, another, source.words(COUNT))


def test_a_child_with_the_number_of_its_parent_is_noticed(monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 7)
    source = SystemBits()
    source.words(1)
    child = forked(lambda: source.words(COUNT))
    assert all_different(child, source.words(COUNT))


def test_a_process_that_no_hook_announced_is_noticed_by_its_number(monkeypatch):
    monkeypatch.setattr(os, "urandom", _counting_entropy())
    source = SystemBits()
    source.words(1)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    after = source.words(2)
    monkeypatch.undo()
    fresh = _stream(bytes([3]) * 32, bytes([4]) * 16).update(bytes(16))
    assert after.astype("<u8").tobytes() == fresh


def _counting_entropy():
    calls = iter(range(1, 100))
    return lambda n: bytes([next(calls)]) * n


def test_threads_never_get_the_same_bytes():
    source = SystemBits()
    found = []
    gate = threading.Barrier(4)

    def work():
        gate.wait()
        for _ in range(20):
            found.append(source.words(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all_different(*found, source.words(COUNT))


@pytest.mark.parametrize("attempt", [pickle.dumps, copy.copy, copy.deepcopy])
def test_refuses_to_be_copied(attempt):
    with pytest.raises(TypeError, match="cannot be copied"):
        attempt(SystemBits())
