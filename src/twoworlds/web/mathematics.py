"""What the service computes for everybody: mechanisms, posteriors, simulators, exact counts.

No data is in it, only models. Every function takes what the body of its request says and returns
plain data, made by the public API; `twoworlds.web.workers` runs it, within limits of size and time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, floor, log10
from typing import Any

from twoworlds.definitions import DifferentialPrivacy, measure
from twoworlds.definitions.base import read_ratio
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.posteriors import Games
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.trade_off import SOME_LEVELS, misses, trade_off
from twoworlds.definitions.verdict import Shown, Verdict, Witness
from twoworlds.definitions.words import points
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.laws.event import AtLeast, AtMost, Event
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build
from twoworlds.mechanisms.on_statistic import OnStatistic
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.mechanisms.several import Several
from twoworlds.noiseless import total
from twoworlds.numbers import (
    INFINITY,
    Number,
    at_most_one,
    exact_text,
    exp,
    ln,
    number,
    show,
    to_json,
    whole,
)
from twoworlds.numbers import probability as probability_of
from twoworlds.questions.worlds import nearest
from twoworlds.report.standing import Standing, price_ratio, standings
from twoworlds.web.refusals import about, check_text
from twoworlds.worlds import Integers, Point, Reals, Records
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.classes import belief_class
from twoworlds.worlds.scrubs import scrubs

_WIDEST = 64
_WINDOW = range(-5, 6)
_FEW = 3
_POINTS = 41
_LEVELS = ("0", *SOME_LEVELS, "3/4", "9/10", "99/100", "1")
_MOST_NUMBERS = 60_000
_MOST_PEOPLE = 2000  # of an exact count
_FEW_OUTPUTS = 4096  # whose event may be written out
_TAIL = Fraction(1, 400)  # what a drawn law leaves out at each side, at most
_POINTS_OF_A_LINE = 160
_MOST_OF_LAWS = 1600  # numbers
_TINY = 5e-324
_ALL = re.compile(r"100 percentage points( apart)?")


def read_mechanism(text: str) -> Mechanism:
    """Build a mechanism from a text of a stranger."""
    with about("mechanism"):
        return build(check_text(text, "mechanism"))


# --- a mechanism --------------------------------------------------------------------------------


def mechanism(
    mechanism: str,
    neighbours: str | None = None,
    delta: str | None = None,
    output: str | None = None,
    *,
    definitions: bool = True,
    curves: bool = True,
) -> dict[str, Any]:
    """Return matrix, laws, price and, unless they are left out, curves and which definitions hold.

    The price is the epsilon at ``delta``, which is 0 if left out. Where there are too many outputs
    to be listed, ``output`` is among those that are shown.
    """
    built = read_mechanism(mechanism)
    with about("neighbours"):
        relation = None if neighbours is None else check_text(neighbours, "neighbours")
        asked = DifferentialPrivacy(neighbours=relation)
        setting = asked.setting(built)
    with about("mechanism"):
        pure = asked.tightest(built)
    with about("delta"):
        price = pure if delta is None else asked.ratio_at(built, delta)
    with about("mechanism"):
        databases, outputs = _shown(built)
        around = setting.mechanism.universe.around
        places = {x: i for i, x in enumerate(databases)}
        pairs = {
            (min(i, places[y]), max(i, places[y]))
            for x, i in places.items()
            for y in islice(around(x, setting.relation), _WIDEST * _WIDEST)
            if y in places
        }
        return {
            "expression": built.expression,
            "universe": built.universe.expression,
            "sizes": {"databases": built.universe.size, "outputs": built.outputs.size},
            "window": built.universe.size is None or built.outputs.size is None,
            "databases": [built.universe.label(x) for x in databases],
            "outputs": [built.outputs.label(o) for o in outputs],
            "matrix": [[to_json(built.probability(o, x)) for x in databases] for o in outputs]
            if databases
            else None,
            "laws": _laws(built, pure) or (None if databases else _some(built, pure, output)),
            "pairs": sorted(map(list, pairs)),
            "price": price.to_dict(),
            "profile": _profile(asked, built, price) if curves else None,
            "tradeoff": _trade_off(built, pure) if curves else None,
            "definitions": _definitions(built, price, delta, neighbours) if definitions else None,
        }


def _definitions(
    built: Mechanism, price: Verdict, delta: str | None, neighbours: str | None
) -> list[dict[str, Any]]:
    """Return which definitions hold at the price; of a refuted one, first why it fails."""
    at = None if delta is None or number(delta) == 0 else delta
    found = standings(built, neighbours=neighbours, price=price, delta=at)
    return [_stands(built, one, price_ratio(price)) for one in found]


def _stands(built: Mechanism, one: Standing, ratio: str) -> dict[str, Any]:
    try:
        return _said(built, one, ratio)
    except InvalidInput as error:  # numbers that no arithmetic holds
        reason = f"too extreme to be computed: {error}"
        return _said(built, Standing(one.definition, one.against, reason=reason), ratio)


def _said(built: Mechanism, one: Standing, ratio: str) -> dict[str, Any]:
    why = _why(one.verdict, ratio) if one.verdict is not None and one.holds is False else None
    witness = None if one.verdict is None else one.verdict.witness
    listed = built.outputs.size is None or built.outputs.size <= _FEW_OUTPUTS
    said = one.reason if one.verdict is None else one.verdict.sentence
    return {
        "definition": one.definition,
        "holds": one.holds,
        "sentence": said if why is None else f"Fails: {why}",
        "why": why,
        "witness": witness.to_dict() if witness is not None and listed else None,
        "witness_in_words": None if witness is None else witness.explain(),
    }


def _why(verdict: Verdict, ratio: str) -> str:
    """Say why a claim fails, before anything that holds instead."""
    witness, said = verdict.witness, verdict.sentence
    if "gamma" in verdict.values and isinstance(witness, Witness) and witness.ratio() != INFINITY:
        first, second = witness.labels
        what = f"{witness.event.describe(witness.mechanism.outputs)} on {first}"
        times = f"{show(witness.ratio(), side='at least')} times as likely as on {second}"
        said = f"{what} is {times}, more than {ratio} times."
    elif "mass_under_first" in verdict.values:
        often = f"with probability {show(at_most_one(verdict.delta))}"
        said = f"{often} an output is over {ratio} times likelier in one world than in the other."
    elif isinstance(witness, Shown) and verdict.values.get("epsilon") == 1 != witness.number:
        here = points(witness.number, side="down").removesuffix(" percentage points")
        said = _ALL.sub(rf"nearly \g<0>, as near as you like (here {here}),", said, count=1)
        said = said.replace(",,", ",")
    said = said.removeprefix("The claim fails: ")
    return f"{said[:1].lower()}{said[1:]}"


def _shown(built: Mechanism) -> tuple[list[Point], list[Point]]:
    """Return the databases and outputs of the matrix; none where they are too many."""
    if isinstance(built.outputs, Reals) or isinstance(built.universe, Reals):
        return [], []
    columns, rows = built.universe.size, built.outputs.size
    if rows is None and not isinstance(built.outputs, Integers):  # lists of numbers, for example
        return [], []
    if (columns or 0) > _WIDEST or (rows or 0) > _WIDEST:
        return [], []
    databases = [*islice(built.universe, _FEW)] if columns is None else [*built.universe]
    return databases, [*_WINDOW] if rows is None else [*built.outputs]


def _laws(built: Mechanism, price: Verdict) -> dict[str, Any] | None:
    """Return the laws of outputs that no whole matrix shows: on a line, or of too many databases.

    Of all databases where they are few, else of the two that are told apart best. On the real line
    they are densities, at evenly spaced outputs.
    """
    pair = getattr(price.witness, "databases", None)
    few = built.universe.size is not None and built.universe.size <= _WIDEST
    line = isinstance(built.outputs, (Reals, Integers)) and built.outputs.size is None
    if pair is None or not (line or (not few and (built.outputs.size or _MOST_NUMBERS) <= _WIDEST)):
        return None
    databases = [*built.universe] if few else [*pair]
    try:
        outputs = _line(built, databases) if line else [*built.outputs]
        values = _values(built, outputs, databases)
    except (TwoWorldsError, OverflowError):  # numbers that no arithmetic holds
        return None
    labels = [f"{float(o):.12g}" if line else built.outputs.label(o) for o in outputs]
    return _law(built, databases, labels, values, line=line)


def _values(
    built: Mechanism, outputs: Sequence[Point], databases: Sequence[Point]
) -> list[list[float]]:
    """Return likelihoods as doubles; of a statistic, once for each value that it takes."""
    alike = built.statistic if isinstance(built, OnStatistic) else lambda x: x
    first = {alike(x): x for x in reversed(databases)}
    columns = {at: [_positive(built.probability(o, x)) for o in outputs] for at, x in first.items()}
    return [list(row) for row in zip(*(columns[alike(x)] for x in databases), strict=True)]


def _some(built: Mechanism, price: Verdict, output: str | None) -> dict[str, Any] | None:
    """Return the laws at a few of very many outputs: the likeliest of each database, and one named.

    The numbers are exact, or densities where a part of the output lies on the real line.
    """
    few = built.universe.size is not None and built.universe.size <= _WIDEST
    pair = getattr(price.witness, "databases", None)
    databases = [*built.universe] if few else [*(pair or ())]
    if not databases:
        return None
    with about("output"):
        named = [] if output is None else [built.outputs.find(check_text(output, "output"))]
    try:
        outputs = [*dict.fromkeys([*named, *(_likeliest(built, x) for x in databases)])]
    except (TwoWorldsError, OverflowError):
        worst = getattr(price.witness, "output", None)
        outputs = named or ([] if worst is None else [worst])
    if not outputs:
        return None
    labels = [built.outputs.label(o) for o in outputs]
    exact = [[to_json(built.probability(o, x)) for x in databases] for o in outputs]
    return _law(built, databases, labels, _values(built, outputs, databases), exact=exact)


def _law(
    built: Mechanism,
    databases: Sequence[Point],
    outputs: list[str],
    values: list[list[float]],
    *,
    exact: list[list[dict[str, Any]]] | None = None,
    line: bool = False,
) -> dict[str, Any]:
    parts = getattr(built.outputs, "parts", (built.outputs,))
    return {
        "databases": [built.universe.label(x) for x in databases],
        "outputs": outputs,
        "values": values,
        "exact": exact,
        "line": line,
        "density": any(isinstance(part, Reals) for part in parts),
    }


def _likeliest(built: Mechanism, database: Point) -> Point:
    """Return an output that is likeliest on a database, up to the grid on which lines are drawn."""
    if isinstance(built, Several):
        alone = len(built.universes) == 1
        own = dict(zip(built.universes, [database] if alone else database, strict=True))
        parts = ((_likeliest(one, own[one.universe]), times) for one, times in built.parts)
        return tuple(o for o, times in parts for _ in range(times))
    if isinstance(built, PerRecord):
        return tuple(_likeliest(built.transition, value) for value in database)
    line = built.outputs.size is None and isinstance(built.outputs, (Reals, Integers))
    if not line and not 0 < (built.outputs.size or 0) <= _FEW_OUTPUTS:
        raise TooLarge("there are too many outputs: name one of them")
    places = _line(built, [database]) if line else built.outputs
    return max(places, key=lambda o: _positive(built.probability(o, database)))


def _positive(p: Number) -> float:
    """Return the nearest double, which is 0 only for an exact 0."""
    return 0.0 if p == 0 else max(float(p), _TINY)


def _line(built: Mechanism, databases: list[Point]) -> list[Point]:
    """Return evenly spaced outputs that all but the tails of these databases' laws lie between."""

    def outside(event: Callable[[Fraction], Event], far: float) -> bool:
        """Whether only the tails lie beyond a place."""
        place = Fraction(far)
        return all(built.mass(event(place), x) < _TAIL for x in databases)

    low, high = -_end(lambda t: outside(AtMost, -t)), _end(lambda t: outside(AtLeast, t))
    most = min(_POINTS_OF_A_LINE, _MOST_OF_LAWS // len(databases))
    wide = (high - low) / most
    power = Fraction(10) ** floor(log10(wide))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= wide)
    if isinstance(built.outputs, Integers):
        step = Fraction(ceil(step))
    places = range(floor(low / step), ceil(high / step) + 1)
    return [int(i * step) if isinstance(built.outputs, Integers) else i * step for i in places]


def _end(beyond: Callable[[float], bool]) -> float:
    """Return about where the tails begin, by doubling and halving."""
    inside, outside = 0.0, 1.0
    while not beyond(outside):
        inside, outside = outside, 2 * outside
    for _ in range(6):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if beyond(middle) else (middle, outside)
    return outside


def _profile(asked: DifferentialPrivacy, built: Mechanism, price: Verdict) -> dict[str, Any] | None:
    """Return delta at evenly spaced epsilons, and the exact pieces where they are finitely many."""
    top = to_json(price.epsilon)["value"]
    most = 1.25 * top if top else 4.0
    epsilons = [most * i / (_POINTS - 1) for i in range(_POINTS)]
    curve = asked.profile(built)
    try:
        pieces = curve.pieces and curve.to_dict()["profile"]
    except TwoWorldsError:
        pieces = None
    try:  # straight pieces are cheap at rationals, which are as near as the doubles that are shown
        ratios = [Fraction(math.exp(e)) if pieces else exp(number(str(e))) for e in epsilons]
        deltas = [to_json(curve(ratio))["value"] for ratio in ratios]
    except (TwoWorldsError, OverflowError):
        return None
    return {"epsilon": epsilons, "delta": deltas, "pieces": pieces}


def _trade_off(built: Mechanism, price: Verdict) -> dict[str, Any] | None:
    """Return false alarms against misses, for the worst pair of databases, the worse way round."""
    pair = getattr(price.witness, "databases", None)
    if pair is None:
        return None
    try:
        both = [trade_off(built, *pair), trade_off(built, *reversed(pair))]
        curve = max(both, key=lambda one: to_json(one.power("1/100"))["value"])
        corners = curve.corners or tuple(curve.points(_LEVELS))
    except TwoWorldsError:
        return None
    points = [
        [to_json(level)["value"], to_json(misses(power), side="down")["value"]]
        for level, power in corners[:_MOST_NUMBERS]
    ]
    return {"databases": list(curve.sides), "points": points, "sentence": curve.sentence()}


# --- an attacker --------------------------------------------------------------------------------


def posterior(
    mechanism: str, belief: str, output: str | None = None, default: str | None = None
) -> dict[str, Any]:
    """Return prior and posteriors, with everyone and without each person, for each output."""
    built = read_mechanism(mechanism)
    with about("belief"):
        held = build_belief(check_text(belief, "belief"), built.universe)
    with about("output"):
        outputs = _outputs(built, output)
    with about("mechanism"):
        people = built.universe.n if isinstance(built.universe, Records) else 1
        if len(outputs) * (people + 2) * len(held) > _MOST_NUMBERS:
            raise TooLarge(
                f"{len(outputs)} outputs with {len(held)} databases and {people} people do not "
                "fit one answer: name one output, or use fewer people"
            )
    games = [_game(built, held, o, default) for o in outputs]
    if output is not None and games == [None]:
        with about("output"):
            play(built, held, output, default=default)  # it says why not
    with about("mechanism"):
        return {
            "mechanism": built.expression,
            "belief": belief,
            "databases": [built.universe.label(x) for x in held],
            "prior": {built.universe.label(x): to_json(mass) for x, mass in held.items()},
            "outputs": [game for game in games if game is not None],
            "worst": _worst(built, default),
        }


def _outputs(built: Mechanism, output: str | None) -> list[Point]:
    if output is not None:
        return [built.outputs.find(check_text(output, "output"))]
    if isinstance(built.outputs, Reals):
        raise InvalidInput("a density has no list of outputs: name one output")
    if (built.outputs.size or 0) > _WIDEST:
        raise TooLarge(f"there are {built.outputs.size} outputs: name one of them")
    if built.outputs.size is None and not isinstance(built.outputs, Integers):
        raise TooLarge("there are infinitely many outputs: name one of them")
    return [*_WINDOW] if built.outputs.size is None else [*built.outputs]


def _game(built: Mechanism, held: Belief, output: Point, default: str | None) -> Any:
    """Return one output's games as plain data, with how likely it is; None if it cannot occur."""
    chance: Number = number("0")
    for x, mass in held.items():
        chance = chance + mass * built.probability(output, x)
    if chance == 0:
        return None
    label = built.outputs.label(output)
    with about("default"):
        games: Games = play(built, held, label, default=default)
    return {**games.to_dict(), "probability": to_json(chance), "sentence": games.answer().headline}


def _worst(built: Mechanism, default: str | None) -> dict[str, Any]:
    """Return the belief that moves most, and what the price means in odds."""
    found = SemanticPrivacy(default=default).tightest(built)
    return {**found.to_dict(), "odds": measure(built).sentence}


# --- simulators ---------------------------------------------------------------------------------


def simulators(
    mechanism: str,
    belief: str = "uniform",
    side: str | None = None,
    private: str = "persons",
    ratio: str | None = None,
    epsilon: str | None = None,
) -> dict[str, Any]:
    """Return the simulator that comes nearest to a release, proved to be the nearest."""
    with about("ratio" if epsilon is None else "epsilon"):
        at = read_ratio(ratio, epsilon)
        if at is None:
            raise InvalidInput("give ratio (e^epsilon) or epsilon, at which worlds are compared")
    built = read_mechanism(mechanism)
    with about("belief"):
        known = None if side is None else check_text(side, "side")
        belief_class(check_text(belief, "belief"), built.universe, known)
    with about("private"):
        scrubs(check_text(private, "private"), built.universe)
    with about("mechanism"):
        best, plain = nearest(built, belief, known, private, at)
    return {
        "mechanism": built.expression,
        "assumption": best.scene.beliefs.assumption,
        **best.to_dict(),
        "canonical": None if plain is None else to_json(plain),
        "epsilon": to_json(ln(at)),
    }


# --- an exact count -----------------------------------------------------------------------------


def noiseless(
    people: str, known: str = "0", probability: str = "1/2", epsilon: str = "1/2"
) -> dict[str, Any]:
    """Return delta of an exact count of independent bits, as far as nobody knows the others.

    Args:
        people: How many there are.
        known: How many entries the attacker knows.
        probability: Of a one, in the attacker's belief.
        epsilon: At which delta is asked for.
    """
    with about("people"):
        n = whole(people, "people", at_least=2)
        if n > _MOST_PEOPLE:
            raise InvalidInput(f"people={n}: the service counts up to {_MOST_PEOPLE}")
    with about("known"):
        k = whole(known, "known", at_least=0)
    with about("probability"):
        p = probability_of(probability, "probability")
        if not 0 < p < 1:
            raise InvalidInput(f"probability={show(p)}: give one between 0 and 1, both left out")
    with about("epsilon"):
        if number(epsilon, "epsilon") < 0:
            raise InvalidInput(f"epsilon={epsilon} is negative: give 0 or more")
    with about("people" if k < n else "known"):
        law = f"1={exact_text(p)}, 0={exact_text(1 - p)}"
        here = total(law, people=n, known=k, epsilon=epsilon)
    return {"at": here.to_dict(), "belief": here.assumptions[0], "sentence": here.sentence}
