"""Laws by name, as the command line writes them: ``iid(3/5)`` with a secret, or ``count(8)``."""

from __future__ import annotations

from fractions import Fraction

from twoworlds.attacks.auxiliary.bits import counted
from twoworlds.attacks.auxiliary.laws import Law, count_law, independent_law, uniform_secret
from twoworlds.attacks.auxiliary.sources import SOURCES, source
from twoworlds.calls import Call, parse
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import whole

__all__ = ["named_law", "sized_source"]


def named_law(text: str, ell: object, *, bits: object = None, usual: object = 4) -> Law:
    """Return the law of a source with an independent uniform secret, or that of a published count.

    Args:
        text: A source such as ``even-weight``, or ``count(8)``, ``count(8, 1/3)``.
        ell: Length of the secret.
        bits: Length of the utility vector.
        usual: The length if ``bits`` is left out.

    >>> named_law("count(8)", 1).bits, named_law("uniform", 2, bits=3).bits
    (4, 3)
    """
    call = parse(text)
    if call.name != "count" and call.name not in SOURCES:
        raise UnknownName("source", call.name, ("count", *(entry.name for entry in SOURCES)))
    if call.name != "count":
        length, weights = sized_source(text, bits=bits, usual=usual)
        secret = counted(whole(ell, "ell", at_least=1), "bit")
        name = (
            f"w from {text} on {counted(length, 'bit')}, and an independent uniform secret of "
            f"{secret}"
        )
        return independent_law(weights, uniform_secret(ell), name=name)
    if bits is not None:
        raise InvalidInput("count(...) has as many bits as it needs: leave bits out")
    if not 1 <= len(call.positional) <= 2 or call.named:
        raise InvalidInput(f"{text!r}: write count(8), or count(8, 1/3) if ones are rarer")
    return count_law(call.positional[0], ell, p=(*call.positional, "1/2")[1])


def sized_source(
    text: str, *, bits: object = None, usual: object = 4
) -> tuple[int, list[Fraction]]:
    """Return the length of a source and its law.

    If ``bits`` is left out, the length is what the source says: as many bits as a binomial count
    needs, or as are listed. If it says nothing, it is ``usual``.

    >>> sized_source("binomial(8)")[0], sized_source("explicit(00=1/2, 11=1/2)")[0]
    (4, 2)
    """
    call = parse(text)
    if call.name == "count":
        raise InvalidInput(
            f"{text!r} is a law of databases with a secret: for the count alone write "
            f"{text.replace('count', 'binomial', 1)!r}"
        )
    law = source(text, (_own_length(call) or usual) if bits is None else bits)
    return len(law).bit_length() - 1, law


def _own_length(call: Call) -> int | None:
    """Return the number of bits that a source speaks of, if it does."""
    if not call.positional:
        return None
    first = call.positional[0]
    if call.name == "binomial":
        return whole(first, "n", at_least=1).bit_length()
    if call.name == "independent":
        return len(call.positional)
    if call.name == "explicit":
        return len(str(first).partition("=")[0].strip()) or None
    return None
