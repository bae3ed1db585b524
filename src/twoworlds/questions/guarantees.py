"""Questions about what a guarantee promises, what follows from it, and how much noise it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from twoworlds.answer import Answer, Block, Facts, Said, Table
from twoworlds.errors import InvalidInput, UnknownName, Unsupported
from twoworlds.questions import Name, Place, Value
from twoworlds.questions.mechanisms import told_errors
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from twoworlds.mechanisms import Mechanism
    from twoworlds.mechanisms.accuracy import Bound
    from twoworlds.mechanisms.named import Calibrated
    from twoworlds.numbers import Number
    from twoworlds.theorems import Guarantee

    Explained: TypeAlias = str | Guarantee | Mechanism  # in Python; who types has texts alone
else:
    Explained = Annotated[str, "a guarantee such as 'dp(epsilon=1)', or a mechanism"]

_KNOWN_ERROR = ("laplace", "geometric")
_EXPECTED = ("E|Z|", "E sum |Z_j|", "E M")
_DIGITS = 12
_SHORT = 24


def explain(what: Explained) -> Result:
    """Explain in plain words what a guarantee promises a person.

    >>> explain("dp(ratio=3)").answer().headline[-59:]
    'at most 75 right (50 without your data): strong protection.'
    """
    from twoworlds.report.promises import read_promise
    from twoworlds.theorems import Guarantee
    from twoworlds.theorems.promise import promise

    return promise(what) if isinstance(what, Guarantee) else read_promise(what)


def implies(
    guarantee: Annotated[str, "such as 'dp(epsilon=0.1, delta=1e-9)'"],
    to: Annotated[str, Name("another kind, such as semantic, or a whole claim")],
    records: Annotated[str | None, "how many records databases have"] = None,
    pairs: Annotated[str | None, "for coupled worlds: how many pairs of scrub and secret"] = None,
    values: Annotated[str | None, "how many values a record may have"] = None,
    symmetric: Annotated[bool, "the release ignores the order of records"] = False,
    tagged: Annotated[bool, "simulators are told whose record is missing"] = False,
    decided: Annotated[bool, "every secret is true or false, never undecided"] = False,
) -> Result:
    """Find what follows from a guarantee, and by which theorems."""
    from twoworlds.theorems import Guarantee

    facts = {"symmetric": symmetric, "tagged": tagged, "decided": decided}
    told = {name: "yes" for name, holds in facts.items() if holds}
    given = Guarantee.parse(guarantee)
    found = given.implies(to, records=records, pairs=pairs, values=values, **told)
    numbers = {} if found.best is None else found.best.numbers  # the answer itself, at the top
    return Told(found.answer(), {**numbers, **found.fields()})


def theorems(name: Annotated[str | None, Place("one of them, in full")] = None) -> Result:
    """List the theorems: as printed, corrected and tight."""
    from twoworlds.theorems import THEOREMS

    if name is not None:
        if name not in THEOREMS:
            raise UnknownName("theorem", name, THEOREMS)
        return THEOREMS[name]
    rows = [
        (
            one.name,
            one.statement,
            f"{one.citation}{' (false as printed)' if one.printed_false else ''}",
        )
        for one in THEOREMS.values()
    ]
    false = sum(one.printed_false for one in THEOREMS.values())
    said = Answer(
        f"{len(rows)} theorems, {false} of which are false as printed.",
        blocks=(Table(("name", "statement", "where"), rows, prose=(1, 2)),),
    )
    return Told(said, {"theorems": list(THEOREMS.values())})


def local(
    mechanism: Annotated[str | None, Place("the mechanism in question")] = None,
    belief: Annotated[str, "the attacker's belief"] = "uniform",
    ratio: Annotated[str | None, "e^epsilon, to hold where it can"] = None,
    epsilon: Annotated[str | None, "the same, as epsilon"] = None,
    delta: Annotated[str, "the probability of failing it"] = "0",
    default: Annotated[str | None, "the value that stands for no data"] = None,
    statistic: Annotated[
        str | None, "instead: calibrate Laplace noise for this statistic, Gaussian with --delta"
    ] = None,
    universe: Annotated[str | None, "its databases"] = None,
    threshold: Annotated[str | None, "a sensitivity that most databases do not exceed"] = None,
) -> Result:
    """Bound what an attacker with one belief learns, when most databases are good."""
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.theorems import calibrate_locally, good_databases
    from twoworlds.worlds.beliefs import belief as build_belief
    from twoworlds.worlds.catalogue import statistic as build_statistic
    from twoworlds.worlds.catalogue import universe as build_universe

    if (mechanism is None) == (statistic is None):
        raise InvalidInput(
            "give a mechanism, such as 'geometric(ratio=2, bits=3)' with --ratio 2, or --statistic "
            "with --threshold: one of them"
        )
    if mechanism is not None:
        return good_databases(
            build(mechanism), belief, ratio=ratio, epsilon=epsilon, delta=delta, default=default
        )
    if statistic is None or universe is None or threshold is None or epsilon is None:
        raise InvalidInput("--statistic needs --universe, --threshold and --epsilon beside it")
    where = build_universe(universe)
    held, built = build_belief(belief, where), build_statistic(statistic, where)
    return calibrate_locally(
        built, where, held, threshold=threshold, epsilon=epsilon, noise_delta=delta
    )


def condition(
    first: Annotated[str, "a law of pairs: 's,1=1/10; c,1=9/10'"],
    second: Annotated[str, "another one"],
    inner: Annotated[str, Name("the delta allowed given the second coordinate")],
    ratio: Annotated[str | None, "e^epsilon"] = None,
    epsilon: Annotated[str | None, "the same, as epsilon"] = None,
) -> Result:
    """Compute how often two laws of pairs can be told apart, given the second coordinate."""
    from twoworlds.theorems import condition as find

    laws = _joint(first), _joint(second)
    return find(*laws, ratio=ratio, epsilon=epsilon, inner=inner)


def _joint(text: str) -> dict[tuple[object, object], object]:
    """Read a joint law such as ``s,1=1/10; c,1=9/10``."""
    law: dict[tuple[object, object], object] = {}
    for part in text.split(";"):
        pair, found, mass = part.partition("=")
        names = [name.strip() for name in pair.split(",")]
        if not found or len(names) != 2 or not all(names):
            raise InvalidInput(
                f"{part.strip()!r} is not the probability of a pair: write 's,1=1/10; c,1=9/10'"
            )
        if (names[0], names[1]) in law:
            raise InvalidInput(f"{pair.strip()} is given twice: name each pair once")
        law[names[0], names[1]] = mass.strip()
    return law


# --- calibrate ------------------------------------------------------------------------------------


def calibrate(
    noise: Annotated[str, "a law, such as gaussian, or a call with its other arguments"],
    sensitivity: Annotated[Value, "how far one person moves the answer"] = "1",
    epsilon: Annotated[Value | None, "what all answers may cost together"] = None,
    ratio: Annotated[Value | None, "the same, as e^epsilon"] = None,
    delta: Annotated[Value | None, "with epsilon: the delta that is allowed"] = None,
    rho: Annotated[Value | None, "instead of epsilon: rho of zCDP"] = None,
    mu: Annotated[Value | None, "instead of epsilon: mu of Gaussian differential privacy"] = None,
    error: Annotated[Value | None, "instead: the expected absolute error wanted"] = None,
    times: Annotated[Value, "how many answers, each with noise of its own"] = "1",
    rate: Annotated[
        Value | None, "the probability with which each record is drawn into a sample"
    ] = None,
) -> Result:
    """Find the noise for an epsilon, or the epsilon for the error you can accept.

    >>> calibrate("laplace", epsilon=1).answer().headline
    'Laplace noise of scale 1 on an answer that one person moves by at most 1 gives epsilon 1.'
    """
    from twoworlds.mechanisms.named import calibrated

    if sum(way is not None for way in (epsilon, ratio, rho, mu, error)) != 1:
        raise InvalidInput(
            "give exactly one of --epsilon, --ratio, --rho, --mu and --error, such as --epsilon 1; "
            "--delta goes with the first two"
        )
    if error is not None:
        if delta is not None or rate is not None or times != "1":
            raise InvalidInput("--error asks for an epsilon: give it alone, or with --sensitivity")
        return _for_error(noise, error, sensitivity)
    found = calibrated(
        noise,
        sensitivity=sensitivity,
        epsilon=epsilon,
        ratio=ratio,
        delta=delta,
        rho=rho,
        mu=mu,
        times=times,
        rate=rate,
    )
    errors, shown = _errors(_without_sample(found.mechanism))
    rules = [*_other_rules(found)]
    said = Answer(
        _sentence(found),
        blocks=(Said([_protection(found)]), Facts([*_facts(found)]), *shown, *_table(rules)),
        notes=[*_notes(found)],
    )
    return Told(said, {**_data(found), "errors": errors, "rules": rules})


# --- what is said ---------------------------------------------------------------------------------


def _without_sample(mechanism: Mechanism) -> Mechanism:
    from twoworlds.mechanisms.sampled import Sampled

    return mechanism.base if isinstance(mechanism, Sampled) else mechanism


def _errors(plain: Mechanism) -> tuple[Sequence[Bound], Sequence[Block]]:
    """Return the errors of one answer, and their table; nothing where they depend on the data."""
    from twoworlds.mechanisms.accuracy import errors_of

    try:
        found = errors_of(plain)
    except Unsupported:
        return (), ()
    said = told_errors(plain, found).said
    return found, (Said([said.headline]), *said.blocks)


def _width(found: Calibrated) -> tuple[str, str, Number]:
    """Return how the noise is called, and the parameter that says how much of it there is."""
    from twoworlds.mechanisms import AddedDensity, AddedNoise, Gaussian, Laplace, OnStatistic
    from twoworlds.mechanisms.per_record import PerRecord

    one: Any = _without_sample(found.mechanism)
    if isinstance(one, PerRecord):
        keep = one.transition.rows[0][0]
        return "Randomized response that keeps the true value with probability", "keep", keep
    if isinstance(one, OnStatistic) and isinstance(one.channel, (AddedDensity, AddedNoise)):
        one = one.channel.noise
    if isinstance(one, Gaussian):
        return "Gaussian noise of standard deviation", "sigma", one.sigma
    if isinstance(one, Laplace):
        return "Laplace noise of scale", "scale", one.scale
    name, words = {
        "discrete-gaussian": ("sigma2", "Discrete Gaussian noise with sigma2 ="),
        "geometric": ("p", "Geometric noise with p ="),
        "skellam": ("l1", "Skellam noise with l1 = l2 ="),
        "differenced-negative-binomial": ("p", "Differenced negative binomial noise with p ="),
    }[found.law]
    return words, name, getattr(one, name)


def _sentence(found: Calibrated) -> str:
    """Say the noise, what it is added to, and what it gives."""
    words, _, value = _width(found)
    several = found.times > 1
    where = f" on {f'each of {found.times:,} answers' if several else 'an answer'} that one person "
    where += f"moves by at most {_number(found.moved)}"
    if found.law == "randomized-response":
        where = f" in each of {found.times:,} reports" if several else ""
    if found.rate != 1:
        where += ", each computed from a new sample" if several else ", computed from a sample"
        where += f" into which every record is drawn with probability {_number(found.rate)},"
    gives = "gives all of them together" if several else "gives"
    return f"{words} {_number(value)}{where} {gives} {_promise(found)}."


def _promise(found: Calibrated) -> str:
    from twoworlds.numbers import ln

    if found.claim is None:
        name, value = ("rho", found.rho) if found.mu is None else ("mu", found.mu)
        assert value is not None
        kind = "zCDP" if found.mu is None else "Gaussian differential privacy"
        return f"{kind} with {name} {_number(value)}"
    delta = f" and delta {_number(found.claim.delta)}" if found.claim.delta else ""
    return f"epsilon {_number(ln(found.claim.ratio))}{delta}"


def _protection(found: Calibrated) -> str:
    """Say what one answer tells about a person; of several, what the promise alone allows."""
    from twoworlds.definitions import measure
    from twoworlds.theorems import Guarantee
    from twoworlds.theorems.promise import sentences

    if found.times == 1 and found.rate == 1:
        delta = None if found.claim is None or not found.claim.delta else found.claim.delta
        if found.claim is None and found.law not in _KNOWN_ERROR:
            delta = Fraction(1, 10**6)  # no epsilon holds without one; the guess is the same
        return measure(found.mechanism, delta=delta).sentence
    if found.claim is not None:
        promised = Guarantee.of("dp", ratio=found.claim.ratio, delta=found.claim.delta)
    elif found.mu is not None:
        promised = Guarantee.of("gdp", mu=found.mu)
    else:
        promised = Guarantee.of("zcdp", rho=found.rho)
    return f"The promise alone allows this. {next(sentences(promised))}"


def _facts(found: Calibrated) -> Iterator[tuple[str, str]]:
    """Yield the mechanism, what is not enough, and the delta that is reached."""
    from twoworlds.mechanisms.least_noise import AMOUNTS
    from twoworlds.numbers import stated

    yield "mechanism", found.mechanism.expression
    if found.short is not None:
        less = ", nor anything with less noise" if AMOUNTS[found.law].divisible else ""
        yield "not enough", f"{found.short.expression}{less}"
    if found.claim is not None and found.claim.delta and found.reached is not None:
        yield "delta", stated(found.reached)


def _notes(found: Calibrated) -> Iterator[str]:
    from twoworlds.mechanisms.least_noise import AMOUNTS

    if found.claim is not None and not AMOUNTS[found.law].divisible:
        yield (
            "the delta of this noise does not always fall as sigma2 grows: check any other sigma2, "
            "even a larger one, on its own"
        )


def _number(x: Number) -> str:
    """Return a number as one types it, with a decimal beside a fraction or a formula."""
    from twoworlds.numbers import decimal, show, spelled

    text = spelled(x)
    if text is None or len(text) > _SHORT:
        return show(x)
    return f"{text} ({decimal(x)})" if set("/^( ") & set(text) else text


def _data(found: Calibrated) -> dict[str, Any]:
    """Return the exact numbers."""
    from twoworlds.numbers import ln

    _, name, value = _width(found)
    claim = found.claim
    return {
        "noise": found.law,
        "mechanism": found.mechanism,
        "parameter": name,
        "value": value,
        "sensitivity": found.moved,
        "times": found.times,
        "rate": found.rate,
        "epsilon": None if claim is None else ln(claim.ratio),
        "delta": None if claim is None else claim.delta,
        "rho": found.rho,
        "mu": found.mu,
        "reached": found.reached,
        "not_enough": found.short,
    }


# --- what other rules ask for ---------------------------------------------------------------------


def _other_rules(found: Calibrated) -> Iterator[dict[str, Any]]:
    """Yield how much noise other rules ask for: sigma^2, or the epsilon of one answer."""
    if found.claim is None or found.claim.delta == 0 or found.rate != 1:
        return
    if found.law in ("gaussian", "discrete-gaussian"):
        yield from _variances(found)
    elif found.law != "skellam":
        yield from _prices(found)


def _variances(found: Calibrated) -> Iterator[dict[str, Any]]:
    """Compare sigma^2 with what zCDP and the textbook ask for.

    The textbook: sigma = sqrt(2 ln(1.25 / delta)) Delta / epsilon, for epsilon below 1 (Dwork &
    Roth 2014, Appendix A).
    """
    from twoworlds.mechanisms.calibration import gaussian_variance
    from twoworlds.numbers import Log, ln
    from twoworlds.release.costs import rounded, zcdp_within

    assert found.claim is not None
    _, name, value = _width(found)
    delta, epsilon = found.claim.delta, ln(found.claim.ratio)
    analytic = "Balle & Wang 2018" if found.law == "gaussian" else ""
    yield _rule("exact, as above", "sigma^2", value * value if name == "sigma" else value, analytic)
    rho = zcdp_within(rounded(epsilon, "down"), delta)
    if rho:
        least = gaussian_variance(found.moved, rho=rho, times=found.times)
        yield _rule("zCDP", "sigma^2", least, "Canonne, Kamath & Steinke 2020, Section 2.3")
    if found.law == "gaussian" and found.times == 1 and 0 < epsilon < 1:
        share = found.moved / epsilon
        printed = 2 * Log(Fraction(5, 4) / delta) * share * share
        yield _rule("textbook", "sigma^2", printed, "Dwork & Roth 2014, Appendix A")


def _prices(found: Calibrated) -> Iterator[dict[str, Any]]:
    """Compare the epsilon that one answer may have on its own: the larger, the less noise."""
    from twoworlds.numbers import ln
    from twoworlds.release.costs import pure_within, rounded, zcdp_within

    assert found.claim is not None
    one = _without_sample(found.mechanism)
    alone = ln(one.family(one.universe.relation).peak()[1].ratio)
    epsilon, what = ln(found.claim.ratio), "epsilon of one answer"
    yield _rule("exact, as above", what, alone)
    if found.times == 1:
        yield _rule("delta 0", what, epsilon)
        return
    rho = zcdp_within(rounded(epsilon, "down"), found.claim.delta) / found.times
    if rho:
        yield _rule("zCDP", what, pure_within(rho), "Bun & Steinke 2016, Proposition 1.4")
    yield _rule("added up, delta 0", what, epsilon / found.times)


def _rule(rule: str, parameter: str, value: Number, citation: str = "") -> dict[str, Any]:
    return {"rule": rule, "parameter": parameter, "value": value, "citation": citation}


def _table(rules: Sequence[dict[str, Any]]) -> Iterator[Block]:
    from twoworlds.numbers import decimal

    if len(rules) < 2:
        return
    what = rules[0]["parameter"]
    rows = [(one["rule"], decimal(one["value"], 6, "about"), one["citation"]) for one in rules]
    lead = "What other rules ask for, to keep the same promise:"
    yield Table(("rule", what, "remarks"), rows, lead=lead, prose=(0, 2))


# --- the epsilon for an error ---------------------------------------------------------------------


def _for_error(noise: str, error: object, sensitivity: object) -> Told:
    """Find the epsilon at which the expected absolute error is the one wanted."""
    from twoworlds.mechanisms.accuracy import errors_of
    from twoworlds.mechanisms.calibration import (
        geometric_epsilon_for_error,
        laplace_epsilon_for_error,
    )
    from twoworlds.mechanisms.named import geometric, laplace
    from twoworlds.numbers import Order, compare, decimal, exact_text, number, show

    if noise not in _KNOWN_ERROR:
        raise InvalidInput(
            f"noise={noise}: --error is for {' and '.join(_KNOWN_ERROR)}, whose expected error has "
            "a closed form; for other noise give --epsilon, and see the error that comes with it"
        )
    find = laplace_epsilon_for_error if noise == "laplace" else geometric_epsilon_for_error
    price, wanted = find(error, sensitivity), number(error, "error")
    if exact_text(price) is None:
        price = Fraction(decimal(price, _DIGITS))  # a number that can be typed, rounded up
    build = laplace if noise == "laplace" else geometric
    built = build(epsilon=price, sensitivity=sensitivity)
    # E|Z|, for one answer also E sum |Z_j| and E M, is the error asked for, by construction.
    found = [
        replace(bound, exact=wanted)
        if bound.name in _EXPECTED and compare(bound.exact, wanted, limit=256) is Order.UNDECIDED
        else bound
        for bound in errors_of(built)
    ]
    told = told_errors(built, found)
    said = Answer(
        f"An expected error of {error} costs epsilon {show(price)}.",
        blocks=(Said([told.said.headline]), *told.said.blocks),
    )
    return Told(said, {"mechanism": built, "epsilon": price, "errors": found})
