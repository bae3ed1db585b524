"""Every way out that a refusal names is taken: it must not end in a refusal again.

Commands are run on mechanisms and definitions of which many do not fit. From each refusal the text
forms and options that it suggests are taken, put into the same command, and run:

    'geometric(ratio=2)'             in place of what was refused
    --belief 'explicit(0=1/2, ...)'  beside it
    twoworlds check '...' '...'      as it stands

A form that is suggested without quotation marks could not be found, so it is a fault as well.
"""

import re
import shlex

import pytest

from tests.cli.calling import call
from twoworlds.definitions.catalogue import DEFINITIONS
from twoworlds.mechanisms.named.load import MECHANISMS

SOURCES = (
    "constant(bits=2)",
    "differenced-negative-binomial(p=1/2, r=2)",
    "discrete-gaussian(sigma2=1)",
    "discrete-gaussian(sigma2=1, bits=2)",
    "exact(sum, universe=bits(2))",
    "gaussian(sigma=1)",
    "gaussian(sigma=1, bits=2)",
    "geometric(ratio=2)",
    "geometric(ratio=2, bits=2)",
    "identity(values=[a, b, c], records=1)",
    "integer-noise([1/8, 7/8])",
    "integer-noise([1/8, 7/8], bits=2)",
    "laplace(scale=1)",
    "laplace(scale=1, bits=2)",
    "mix(identity(bits=2), constant(bits=2), weight=1/2)",
    "pair(randomized-response(bits=2, keep=3/4), parity(bits=2))",
    "random-index(records=2)",
    "randomized-response(bits=2, keep=3/4)",
    "randomized-response(bits=30, keep=3/4)",
    "restrict(randomized-response(bits=2, keep=3/4), databases=[11, 10])",
    "restrict(integer-noise([1/8, 7/8]), databases=[0, 1])",
    "skellam(l1=1, l2=1, bits=2)",
    "truncated-geometric(ratio=2, high=2)",
    "dp",
    "dp(ratio=3)",
    "frapp(gamma=3)",
    "semantic(epsilon=1/10)",
)
COMMANDS = (
    "measure @",
    "measure @ --delta 1/100",
    "measure @ --ratio 2 --delta 1/100",
    "measure @ --profile",
    "measure @ --definition pointwise",
    "measure @ --definition pointwise --ratio 2",
    "measure @ --definition 'pointwise(ratio=2)'",
    "measure @ --definition 'dp(ratio=2)'",
    "measure @ --definition 'dp(ratio=2, delta=1/100)'",
    "measure @ --definition mutual-information",
    "measure @ --definition rdp",
    "measure @ --definition 'rdp(order=5/2)'",
    "measure @ --definition zcdp",
    "measure @ --definition gdp",
    "measure @ --definition f-dp",
    "check @ 'zcdp(rho=1)'",
    "measure @ --definition gamma-amplification",
    "measure @ --definition frapp",
    "measure @ --definition 'local-semantic(explicit(11=1/2, 00=1/2))'",
    "check @ 'dp(ratio=3)'",
    "check @ 'linear(x11 <= 3 x10)'",
    "odds @ --of even",
    "odds @ --of 1=1",
    "statements @",
    "cone @",
    "cone @ --inverse",
    "cone @ --facet 11",
    "posterior @ --belief uniform --output 1",
    "explain @",
    "show @",
    "relax @ --eliminate 01",
    "compare @ 'dp(ratio=3)'",
    "member @ --of 'randomized-response(bits=2, keep=3/4)'",
    "member --row 1,1,1,1 --of @",
    "implies @ --to semantic",
)
SOURCE = "@"
QUOTED = re.compile(r"(--[a-z]+ )?'((?:[^'()]|\([^']*\))+)'")
UNQUOTED = re.compile(r"(?:such as|as in) ([a-z]+(?:-[a-z]+)*\()")
OPTION = re.compile(r"(--[a-z]+) ([0-9/]+)")
POINTS = re.compile(r"'([^']+)' is not in .*: its points are ([^,( \n]+)")
WHOLE = re.compile(r"twoworlds ([a-z]+ (?:'[^']+' ?)+)")


def suggested(words: list[str], source: str, said: str) -> list[tuple[list[str], str]]:
    """Return the commands that a refusal sends the user to, each with its source."""
    whole = WHOLE.search(said)
    if whole:
        command, named, *rest = shlex.split(whole[1])
        return [([command, SOURCE, *rest], named)]
    points = POINTS.search(said)
    if points and points[1] in words:
        return [([points[2] if word == points[1] else word for word in words], source)]
    found = []
    advice = said.partition(": ")[2] or said
    for option, form in [*QUOTED.findall(advice), *OPTION.findall(advice)]:
        name = form.partition("(")[0]
        if option:
            kept = list(words)
            if option.strip() in kept:
                place = kept.index(option.strip())
                del kept[place : place + 2]
            found.append(([*kept, option.strip(), form], source))
        elif "(" in form and (name in MECHANISMS or name in DEFINITIONS):
            found.append((words, form))
    return found


def refusal(capsys, words: list[str], source: str) -> str | None:
    """Return what the command says if it refuses, else None."""
    code, _, said = call(capsys, *(source if word == SOURCE else word for word in words))
    return said if code == 2 else None


@pytest.mark.few(8)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_way_out_ends_in_a_refusal(capsys, command):
    """A way out may be refused for another reason, if what is said then leads on."""
    waiting = [(shlex.split(command), source, "") for source in SOURCES]
    tried, dead = set(), set()
    while waiting:
        words, source, sent = waiting.pop()
        here = (*words, source)
        assert not sent or here not in dead, f"{sent}  sends to {here}, which is refused"
        if here in tried:
            continue
        tried.add(here)
        said = refusal(capsys, words, source)
        if said is None:
            continue
        assert not UNQUOTED.search(said), said
        further = suggested(words, source, said)
        assert further or not sent, f"{sent}  sends to {here}, which says\n  {said}"
        assert (words, source) not in further, f"{said}  sends to {here} itself"
        if not further:
            dead.add(here)
        waiting += [(*retry, said) for retry in further]
