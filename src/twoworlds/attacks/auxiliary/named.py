"""Laws by name, as the command line writes them: ``iid(3/5)`` with a secret, or ``count(8)``."""

from __future__ import annotations

from fractions import Fraction

from twoworlds.attacks.auxiliary.laws import Law, count_law, independent_law, uniform_secret
from twoworlds.attacks.auxiliary.sources import source
from twoworlds.calls import parse
from twoworlds.errors import InvalidInput
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
    if call.name != "count":
        length, weights = sized_source(text, bits=bits, usual=usual)
        how = "bit" if str(ell) == "1" else "bits"
        name = f"w from {text} on {length} bits, and an independent uniform secret of {ell} {how}"
        return independent_law(weights, uniform_secret(ell), name=name)
    if bits is not None:
        raise InvalidInput("count(...) has as many bits as it needs: leave bits out")
    if not 1 <= len(call.positional) <= 2 or call.named:
        raise InvalidInput(f"{text!r}: write count(8), or count(8, 1/3) if ones are rarer")
    return count_law(call.positional[0], ell, p=(*call.positional, "1/2")[1])


def sized_source(
    text: str, *, bits: object = None, usual: object = 4
) -> tuple[int, list[Fraction]]:
    """Return the length of a source and its law; a binomial one has as many bits as it needs.

    >>> sized_source("binomial(8)")[0]
    4
    """
    call = parse(text)
    if bits is None and call.name == "binomial" and call.positional:
        usual = whole(call.positional[0], "n", at_least=1).bit_length()
    law = source(text, usual if bits is None else bits)
    return len(law).bit_length() - 1, law
