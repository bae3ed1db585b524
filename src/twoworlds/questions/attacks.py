"""Questions that attack: tables, counts, sums, mechanisms of others, and the release engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.questions import Name, Place
from twoworlds.show import Result

__all__ = ["attack_auxiliary"]

_LAW = ("ell", "bits", "source", "law", "extractor", "errors", "sanitiser")
# What each topic takes; the rest is refused, so that no option is silently left unused.
_TOPICS = {
    "theorem": _LAW,
    "fuzzy": (*_LAW, "code", "within"),
    "flaw": ("ell", "extractor"),
    "entropy": ("ell", "bits", "min_entropy", "source", "law", "gamma"),
    "height": ("average", "shorter"),
    "smoking": ("people", "published", "ratio"),
}


def attack_auxiliary(
    topic: Annotated[str | None, Place(f"{', '.join(_TOPICS)}; a short story if left out")] = None,
    ell: Annotated[str | None, "length of the breach that is told"] = None,
    bits: Annotated[str | None, "length of the utility vector w"] = None,
    source: Annotated[
        str | None,
        "law of w: uniform, even-weight, 'weight(2)' (at most 2 ones), 'iid(3/5)', "
        "'independent(1/2, 1/3)', 'binomial(8)'; or 'count(8)': a published count of 8 people, "
        "the first of them secret",
    ] = None,
    law: Annotated[
        Path | None, "a CSV file of databases: utility,breaches,probability[,size]"
    ] = None,
    extractor: Annotated[
        str | None, "matrices, inner-product, 'field(x^2+x+1)', toeplitz, identity"
    ] = None,
    code: Annotated[
        str | None, "'repetition(5)', 'hamming(3)', 'bch(15, 7)', 'cyclic(7, x^3+x+1)'"
    ] = None,
    errors: Annotated[str | None, "most bits that the release gets wrong, all ways alike"] = None,
    sanitiser: Annotated[str | None, "exact, 'errors(1)', or 'flips(1/10)'"] = None,
    within: Annotated[
        str | None, "claim that so many errors are always mended (exit 1 if not)"
    ] = None,
    min_entropy: Annotated[str | None, "what sources have at least; ell if left out"] = None,
    gamma: Annotated[str | None, "chance of large databases left out"] = None,
    average: Annotated[str | None, "published height: 166.5"] = None,
    shorter: Annotated[str | None, "'2 inches', '5 cm'"] = None,
    people: Annotated[str | None, "others in the study"] = None,
    published: Annotated[str | None, "the count that it publishes"] = None,
    ratio: Annotated[str | None, "e^epsilon of the noise in it; 'none' for no noise"] = None,
) -> Result:
    """Run Dwork's impossibility theorem: a remark worthless alone, a breach with a release."""
    given = {name: value for name, value in locals().items() if value is not None}
    given.pop("topic", None)
    return _auxiliary(topic, given)


def _auxiliary(topic: str | None, given: dict[str, Any]) -> Result:
    from twoworlds.attacks import auxiliary

    if topic is None and not given:
        return auxiliary.story()
    # Options without a topic are about the theorem; with a code, about the fuzzy case.
    chosen = topic or ("fuzzy" if "code" in given else "theorem")
    if chosen not in _TOPICS:
        raise UnknownName("topic", chosen, _TOPICS)
    for name in given:
        if name not in _TOPICS[chosen]:
            where = next(one for one in _TOPICS if name in _TOPICS[one])
            option = f"--{name.replace('_', '-')}"
            raise InvalidInput(
                f"{option} is not for {chosen}: write auxiliary {where} {option} ..."
            )
    if "errors" in given and "sanitiser" in given:
        raise InvalidInput("--errors and --sanitiser both say what is seen: give one of them")
    match chosen:
        case "theorem":
            return _theorem(given)
        case "fuzzy":
            return _fuzzy(given)
        case "entropy":
            return _entropy(given)
        case "flaw":
            extract = given.get("extractor", "identity")
            return auxiliary.flaw(given.get("ell", "2"), extract=extract)
        case "height":
            return auxiliary.height(**given)
    return auxiliary.smoking(**given)


def _theorem(given: dict[str, Any]) -> Result:
    from twoworlds.attacks import auxiliary

    one = "count" in given.get("source", "") or given.get("extractor") == "inner-product"
    usual = "1" if one or given.get("bits") == "1" else "2"
    law = _law(given, given.get("ell", usual), "even-weight")
    ell = given.get("ell", max(law.lengths, default=1))
    pad = auxiliary.FuzzyExtractor(
        auxiliary.extractor(given.get("extractor", "matrices"), law.bits, ell)
    )
    seen = given.get("sanitiser", f"errors({given.get('errors', '0')})")
    return auxiliary.attack(law, pad, sanitiser=auxiliary.sanitiser(seen, law.bits))


def _fuzzy(given: dict[str, Any]) -> Result:
    from twoworlds.attacks import auxiliary

    mending = auxiliary.code(given.get("code", "repetition(5)"))
    if given.pop("bits", str(mending.length)) != str(mending.length):
        raise InvalidInput(
            f"--bits is {mending.length}, the length of {mending.name}: leave it out"
        )
    usual = min(mending.dimension, 7)  # what the code leaves, unless a file says otherwise
    law = _law(given, given.get("ell", usual), "uniform", usual=mending.length)
    ell = given.get("ell", max(law.lengths, default=1))
    pad = auxiliary.fuzzy_extractor(mending, ell, extract=given.get("extractor"))
    seen = given.get("sanitiser", f"errors({given.get('errors', mending.radius // 2)})")
    view = auxiliary.sanitiser(seen, law.bits)
    return auxiliary.fuzzy_attack(law, pad, view, within=given.get("within"))


def _law(given: dict[str, Any], ell: object, source: str, *, usual: int = 4) -> Any:
    from twoworlds.attacks import auxiliary

    if "law" not in given:
        bits = given.get("bits")
        return auxiliary.named_law(given.get("source", source), ell, bits=bits, usual=usual)
    if "source" in given or "bits" in given:
        raise InvalidInput("--law holds the utility vectors: leave --source and --bits out")
    return auxiliary.read_law(given["law"])


def _entropy(given: dict[str, Any]) -> Result:
    from twoworlds.attacks import auxiliary

    if "source" in given:
        if set(given) - {"source", "bits"}:
            raise InvalidInput("the min-entropy of a --source takes --bits and nothing else")
        bits, law = auxiliary.sized_source(given["source"], bits=given.get("bits"))
        return auxiliary.SourceEntropy(given["source"], bits, max(law))
    if "gamma" in given or "law" in given:
        if set(given) - {"gamma", "law"}:
            raise InvalidInput("--gamma and --law ask about databases: leave the others out")
        read = auxiliary.read_law(given["law"]) if "law" in given else auxiliary.vanishing_length()
        return auxiliary.usable_lengths(read, given.get("gamma", "1/10"))
    ell = given.get("ell", "1")
    return auxiliary.entropy_needed(given.get("bits", "2"), ell, given.get("min_entropy"))
