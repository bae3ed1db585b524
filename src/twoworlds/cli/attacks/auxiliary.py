"""``twoworlds attack auxiliary``: what no useful release can prevent (Dwork, Theorem 1)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from twoworlds.cli.app import Json
from twoworlds.cli.attacks.group import attack_app
from twoworlds.cli.render import console, print_json, print_table, progress
from twoworlds.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from twoworlds.attacks.auxiliary import Attack, Law, Sanitiser

__all__ = ["auxiliary"]

_TOPICS = ("theorem", "fuzzy", "flaw", "entropy", "height", "smoking")
_LAW = ("ell", "bits", "source", "law", "extractor", "errors", "sanitiser")
# What each topic takes; the rest is refused, so that no option is silently left unused.
_TAKES = {
    "theorem": _LAW,
    "fuzzy": (*_LAW, "code", "within"),
    "flaw": ("ell", "extractor"),
    "entropy": ("ell", "bits", "min_entropy", "source", "law", "gamma"),
    "height": ("average", "shorter"),
    "smoking": ("people", "published", "ratio"),
    "story": (),
}


@attack_app.command()
def auxiliary(
    topic: Annotated[
        str | None,
        typer.Argument(metavar="[TOPIC]", help=", ".join(_TOPICS) + "; a short story if left out"),
    ] = None,
    ell: Annotated[str | None, typer.Option(help="length of the breach that is told")] = None,
    bits: Annotated[str | None, typer.Option(help="length of the utility vector w")] = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="law of w: uniform, even-weight, 'weight(2)' (at most 2 ones), 'iid(3/5)', "
            "'independent(1/2, 1/3)', 'binomial(8)', 'first(5)', 'explicit(01=1/2, 10=1/2)'; or "
            "'count(8)': a published count of 8 people, the first of them secret"
        ),
    ] = None,
    law: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="databases: utility,breaches,probability[,size]"),
    ] = None,
    extractor: Annotated[
        str | None,
        typer.Option(help="matrices, inner-product, 'field(x^2+x+1)', toeplitz, identity"),
    ] = None,
    code: Annotated[
        str | None,
        typer.Option(help="'repetition(5)', 'hamming(3)', 'bch(15, 7)', 'cyclic(7, x^3+x+1)'"),
    ] = None,
    errors: Annotated[
        str | None, typer.Option(help="most bits that the release gets wrong, all ways alike")
    ] = None,
    sanitiser: Annotated[
        str | None,
        typer.Option(help="exact, 'errors(1)', 'flips(1/10)', or a mechanism on bits"),
    ] = None,
    within: Annotated[
        str | None, typer.Option(help="claim that so many errors are always mended (exit 1 if not)")
    ] = None,
    min_entropy: Annotated[
        str | None, typer.Option(help="what sources have at least; ell if left out")
    ] = None,
    gamma: Annotated[str | None, typer.Option(help="chance of large databases left out")] = None,
    average: Annotated[str | None, typer.Option(help="published height: 166.5")] = None,
    shorter: Annotated[str | None, typer.Option(help="'2 inches', '5 cm'")] = None,
    people: Annotated[str | None, typer.Option(help="others in the study")] = None,
    published: Annotated[str | None, typer.Option(help="the count that it publishes")] = None,
    ratio: Annotated[
        str | None, typer.Option(help="e^epsilon of the noise in it; 'none' for no noise")
    ] = None,
    json_: Json = False,
) -> int:
    """Run Dwork's impossibility theorem: a remark that is worthless alone, a breach with a release.

    Everything is computed exactly: what the attacker wins with the remark and the release, and
    what the best simulator wins with the remark alone.
    """
    given = {
        "ell": ell,
        "bits": bits,
        "source": source,
        "law": law,
        "extractor": extractor,
        "code": code,
        "errors": errors,
        "sanitiser": sanitiser,
        "within": within,
        "min_entropy": min_entropy,
        "gamma": gamma,
        "average": average,
        "shorter": shorter,
        "people": people,
        "published": published,
        "ratio": ratio,
    }
    options = {name: value for name, value in given.items() if value is not None}
    chosen = _topic(topic, options)
    with progress():
        return _RUN[chosen](options, json_)


def _topic(topic: str | None, options: dict[str, Any]) -> str:
    if topic is None:
        # Options without a topic are about the theorem; with a code, about the fuzzy case.
        chosen = "story" if not options else "fuzzy" if "code" in options else "theorem"
    elif topic in _TOPICS:
        chosen = topic
    else:
        raise UnknownName("topic", topic, _TOPICS)
    for name in options:
        if name not in _TAKES[chosen]:
            where = next(one for one in _TOPICS if name in _TAKES[one])
            option = f"--{name.replace('_', '-')}"
            raise InvalidInput(
                f"{option} is not for {chosen}: write auxiliary {where} {option} ..."
            )
    return chosen


# --- the law, and what is seen of it ------------------------------------------------------------


def _law(options: dict[str, Any], ell: object, source: str, *, usual: int = 4) -> Law:
    from twoworlds.attacks.auxiliary import named_law, read_law

    if "law" not in options:
        bits = options.get("bits")
        return named_law(options.get("source", source), ell, bits=bits, usual=usual)
    if "source" in options or "bits" in options:
        raise InvalidInput("--law holds the utility vectors: leave --source and --bits out")
    return read_law(options["law"])


def _view(options: dict[str, Any], bits: int) -> Sanitiser:
    from twoworlds.attacks.auxiliary import sanitiser

    if "errors" in options and "sanitiser" in options:
        raise InvalidInput("--errors and --sanitiser both say what is seen: give one of them")
    return sanitiser(options.get("sanitiser", f"errors({options.get('errors', '0')})"), bits)


# --- the topics ---------------------------------------------------------------------------------


def _theorem(options: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import FuzzyExtractor, attack
    from twoworlds.attacks.auxiliary import extractor as build

    one = "count" in options.get("source", "") or options.get("extractor") == "inner-product"
    usual = "1" if one or options.get("bits") == "1" else "2"
    law = _law(options, options.get("ell", usual), "even-weight")
    ell = options.get("ell", max(law.lengths, default=1))
    pad = FuzzyExtractor(build(options.get("extractor", "matrices"), law.bits, ell))
    _show_attack(attack(law, pad, sanitiser=_view(options, law.bits)), as_json)
    return 0


def _fuzzy(options: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import attack, fuzzy_extractor, radius_condition
    from twoworlds.attacks.auxiliary import code as build

    mending = build(options.get("code", "repetition(5)"))
    if options.pop("bits", str(mending.length)) != str(mending.length):
        raise InvalidInput(
            f"--bits is {mending.length}, the length of {mending.name}: leave it out"
        )
    usual = min(mending.dimension, 7)  # what the code leaves, unless a file says otherwise
    law = _law(options, options.get("ell", usual), "uniform", usual=mending.length)
    ell = options.get("ell", max(law.lengths, default=1))
    pad = fuzzy_extractor(mending, ell, extract=options.get("extractor"))
    if "sanitiser" not in options:
        options.setdefault("errors", str(mending.radius // 2))
    view = _view(options, law.bits)
    found = attack(law, pad, sanitiser=view)
    radius = radius_condition(pad.bits, view.reach, pad.radius)
    refuted = pad.failing_pair(options["within"]) if "within" in options else None
    failing = refuted or pad.failing_pair(pad.radius + 1)
    if as_json:
        beside = {
            "unique_decoding": found.radius_holds,
            "radius_condition": radius.explain(),
            "beyond_the_radius": None if failing is None else failing.to_dict(),
        }
        print_json({**found.to_dict(), **beside})
        return int(refuted is not None)
    _show_attack(found, as_json=False)
    console().print(Text(radius.explain()))
    if failing is not None:
        claim = "The claim is refuted" if refuted else "Beyond what is mended it fails"
        console().print()
        console().print(Text(f"{claim}: {failing.explain()}."))
    return int(refuted is not None)


def _flaw(options: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import flaw

    found = flaw(options.get("ell", "2"), extract=options.get("extractor", "identity"))
    _tell(found, as_json)
    if not as_json:
        _numbers(found.found)
    return 0


def _entropy(options: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import (
        least_distance,
        read_law,
        search_extractors,
        usable_lengths,
        vanishing_length,
    )
    from twoworlds.numbers import show, stated

    if "source" in options:
        return _entropy_of_source(options, as_json)
    law = read_law(options["law"]) if "law" in options else vanishing_length()
    lengths = usable_lengths(law, options.get("gamma", "1/10"))
    if "gamma" in options or "law" in options:
        if set(options) - {"gamma", "law"}:
            raise InvalidInput("--gamma and --law ask about databases: leave the others out")
        return _tell(lengths, as_json)
    bits, ell = options.get("bits", "2"), options.get("ell", "1")
    least = least_distance(bits, ell, options.get("min_entropy", ell))
    rising = [least_distance(bits, ell, m) for m in range(least.entropy, least.bits + 1)]
    smallest = (least.bits, least.ell, least.entropy) == (2, 1, 1)
    tried = [search_extractors(seeds) for seeds in (1, 2, 3, 4)] if smallest else []
    if as_json:
        data = {"by_min_entropy": [one.to_dict() for one in rising]}
        searched = {"searched": [one.to_dict() for one in tried]} if tried else {}
        print_json({**least.to_dict(), **data, **searched, "left_out": lengths.to_dict()})
        return 0
    out = console()
    out.print(Text(f"A min-entropy of ell does not make a pad of ell bits. {least.explain()}"))
    print_table(
        ["min-entropy", "least epsilon"],
        [[str(one.entropy), stated(one.distance, side="down")] for one in rising],
    )
    if tried:
        print_table(
            ["seeds", "extractors tried", "sources", "least epsilon"],
            [[str(t.seeds), str(t.tried), str(t.sources), show(t.distance)] for t in tried],
        )
    out.print(Text(f"Leaving large databases out can spoil it too. {lengths.explain()}"))
    return 0


def _entropy_of_source(options: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import min_entropy, sized_source
    from twoworlds.attacks.auxiliary.bits import counted
    from twoworlds.numbers import show, to_json

    if set(options) - {"source", "bits"}:
        raise InvalidInput("the min-entropy of a --source takes --bits and nothing else")
    text = options["source"]
    bits, law = sized_source(text, bits=options.get("bits"))
    entropy, largest = min_entropy(max(law)), max(law)
    if as_json:
        data = {"source": text, "bits": bits, "largest_probability": to_json(largest)}
        print_json({**data, "min_entropy": to_json(entropy, side="down")})
        return 0
    said = (
        f"{text} on {counted(bits, 'bit')} has a min-entropy of {show(entropy, side='at least')} "
        f"{'bit' if entropy == 1 else 'bits'}: its likeliest string has probability "
        f"{show(largest)}."
    )
    console().print(Text(said))
    return 0


def _height(options: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import height

    return _tell(height(**options), as_json)


def _smoking(options: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import smoking

    return _tell(smoking(**options), as_json)


def _story(_: dict[str, Any], as_json: bool) -> int:
    from twoworlds.attacks.auxiliary import FuzzyExtractor, attack, count_law, height
    from twoworlds.attacks.auxiliary import extractor as build

    law = count_law(8)
    found = attack(law, FuzzyExtractor(build("inner-product", law.bits, 1)))
    tall = height()
    if as_json:
        print_json({"height": tall.to_dict(), "theorem": found.to_dict()})
        return 0
    said = (
        tall.explain(),
        "The same works for any secret (Dwork, Theorem 1). Eight people have one bit each; the "
        "number of ones is published, the bit of the first is secret. The remark z is a random "
        "string, and the secret bit plus the inner product of that string with the count in "
        f"binary. {found.explain()}",
        "What follows: that a release teaches nothing about anybody is a promise which no useful "
        "release keeps. What can be promised is that taking part changes almost nothing, and that "
        "is differential privacy.",
    )
    console().print(Text("\n\n".join(said)))
    _numbers(found)
    console().print("More: twoworlds attack auxiliary theorem|fuzzy|flaw|entropy|height|smoking")
    return 0


# --- printing -----------------------------------------------------------------------------------


def _show_attack(found: Attack, as_json: bool) -> None:
    if as_json:
        print_json(found.to_dict())
        return
    out = console()
    out.print(Text(f"{found.law}; the release {found.sanitiser}; the pad: {found.extractor}"))
    if found.code is not None:
        out.print(Text(found.code))
    out.print()
    out.print(Text(found.explain()))
    _numbers(found)


def _numbers(found: Attack) -> None:
    print_table(["probabilities, distances, entropies", "exact"], found.table())


def _tell(found: Any, as_json: bool) -> int:
    if as_json:
        print_json(found.to_dict())
    else:
        console().print(Text(found.explain()))
    return 0


_RUN = {
    "theorem": _theorem,
    "fuzzy": _fuzzy,
    "flaw": _flaw,
    "entropy": _entropy,
    "height": _height,
    "smoking": _smoking,
    "story": _story,
}
