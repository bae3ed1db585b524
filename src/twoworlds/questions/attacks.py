"""Questions that attack: tables, counts, sums, mechanisms of others, and the release engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.questions import Place
from twoworlds.show import Result

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
        str | None, "claim that this many errors are always mended (exit 1 if not)"
    ] = None,
    min_entropy: Annotated[str | None, "what sources have at least; ell if left out"] = None,
    gamma: Annotated[str | None, "chance of large databases left out"] = None,
    average: Annotated[str | None, "published height: 166.5"] = None,
    shorter: Annotated[str | None, "'2 inches', '5 cm'"] = None,
    people: Annotated[str | None, "others in the study"] = None,
    published: Annotated[str | None, "the count that it publishes"] = None,
    ratio: Annotated[str | None, "e^epsilon of the noise in it; 'none' for no noise"] = None,
) -> Result:
    """Breach privacy with a remark that is worthless alone (Dwork's impossibility theorem)."""
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
    pad = auxiliary.extractor(given.get("extractor", "matrices"), law.bits, ell)
    seen = given.get("sanitiser", f"errors({given.get('errors', '0')})")
    return auxiliary.attack(law, pad, sanitiser=seen)


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
    return auxiliary.attack(law, pad, sanitiser=seen, within=given.get("within"))


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
        return auxiliary.source_entropy(given["source"], given.get("bits"))
    if "gamma" in given or "law" in given:
        if set(given) - {"gamma", "law"}:
            raise InvalidInput("--gamma and --law ask about databases: leave the others out")
        read = auxiliary.read_law(given["law"]) if "law" in given else auxiliary.vanishing_length()
        return auxiliary.usable_lengths(read, given.get("gamma", "1/10"))
    ell = given.get("ell", "1")
    return auxiliary.entropy_needed(given.get("bits", "2"), ell, given.get("min_entropy"))


# --- counts ---------------------------------------------------------------------------------------

_STAFF = "staff.csv"  # the people of a made-up university
_STORY = ("department=physics", "sex=f", "job=professor")  # of whom there is one
_SECRET = "depressed=yes"
_TABLE = f"a CSV, TSV or Parquet file; {_STAFF}, which comes with the program, if left out"


def _table(file: Path | None) -> tuple[Path, tuple[str, ...]]:
    """Return the file, or the bundled table of its name, and a note if it is bundled."""
    from twoworlds.attacks.tables.table import example_note, example_path

    if file is None:
        return example_path(_STAFF, bundled=True), ()
    note = example_note(file)
    return example_path(file), () if note is None else (note,)


def attack_differencing(
    file: Annotated[Path | None, Place(_TABLE)] = None,
    know: Annotated[
        list[str] | None, "what is known of the person, as COLUMN=VALUE; repeat it"
    ] = None,
    secret: Annotated[str | None, "what is to be found out, as COLUMN=VALUE"] = None,
    at_least: Annotated[str, "the server refuses counts below this, and above n minus this"] = "5",
    engine: Annotated[bool, "ask the release engine the same, with real noise"] = False,
    epsilon: Annotated[
        str | None, "for the engine: what the attack may cost; 1 if left out"
    ] = None,
) -> Result:
    """Subtract harmless-looking counts to find out one person's secret."""
    from twoworlds.attacks.queries import ExactServer, equal, single_out

    if file is not None and not (know and secret):
        raise InvalidInput("say what is known and what is secret: --know age=28 --secret ill=yes")
    if epsilon is not None and not engine:
        raise InvalidInput("--epsilon is for the release engine: give --engine as well")
    path, notes = _table(file)
    with ExactServer(path, at_least=at_least) as server:
        hidden = equal(server.kinds, secret or _SECRET)
        known = [equal(server.kinds, one) for one in know or _STORY]
        cost = epsilon or "1" if engine else None
        return single_out(server, known, hidden, epsilon=cost, notes=notes)


def attack_averaging(
    file: Annotated[Path | None, Place(_TABLE)] = None,
    epsilon: Annotated[str, "the loss of one answer"] = "1/2",
    times: Annotated[str, "how often it is asked; several numbers with commas"] = "1,4,16,64,256",
    confidence: Annotated[str, "how sure the attacker wants to be"] = "95%",
    engine: Annotated[bool, "do it to the release engine, with real noise"] = False,
    count: Annotated[
        str | None, "for the engine: which rows of FILE to count, as COLUMN=VALUE"
    ] = None,
    cap: Annotated[str | None, "for the engine: the budget, an epsilon; 2 if left out"] = None,
) -> Result:
    """Ask a noisy count again and again until the noise averages out."""
    from twoworlds.attacks.queries import ExactServer, average_out, equal
    from twoworlds.attacks.queries.averaging import against_engine

    if not engine and (file is not None or count is not None or cap is not None):
        raise InvalidInput("FILE, --count and --cap are for the release engine: give --engine too")
    if file is not None and count is None:
        raise InvalidInput("say whom to count: --count condition=AIDS")
    if not engine:
        return average_out(epsilon, times.split(","), confidence=confidence)
    path, notes = _table(file)
    with ExactServer(path) as server:
        asked = equal(server.kinds, count or _SECRET)
        repeated = against_engine(server, asked, epsilon=epsilon, cap=cap or "2")
    return average_out(
        epsilon, times.split(","), confidence=confidence, engine=repeated, notes=notes
    )


def attack_membership(
    file: Annotated[
        Path | None,
        Place("a CSV with columns person (0 or 1), count and share: one line for each attribute"),
    ] = None,
    people: Annotated[
        str | None, "how many people the study has; a made-up one has 100 if left out"
    ] = None,
    attributes: Annotated[
        str | None, "for a made-up study: how many counts are published; 1000 if left out"
    ] = None,
    cells: Annotated[
        str | None, "for a made-up study: publish a histogram of this many cells instead"
    ] = None,
    epsilon: Annotated[
        str | None, "what is published costs this in all; exact numbers if left out"
    ] = None,
    engine: Annotated[bool, "let the release engine publish the made-up study"] = False,
    seed: Annotated[str, "the seed of the made-up study"] = "0",
    cell: Annotated[
        str | None, "one person's cell of a histogram: the count that is shown, or 'hidden'"
    ] = None,
    share: Annotated[
        str | None, "with --cell: the share of the population in the cell; 1/100 if left out"
    ] = None,
    at_least: Annotated[
        str | None, "with --cell or --cells: smaller cells are not published; 3 if left out"
    ] = None,
    prior: Annotated[
        str | None, "the probability of having taken part, beforehand; 1/2 if left out"
    ] = None,
) -> Result:
    """Test whether a person took part in a study, from its published counts."""
    from twoworlds.attacks.queries import histogram_study, membership_in_histogram, study
    from twoworlds.attacks.queries.membership import read_study, shared_noise
    from twoworlds.numbers import positive

    if people is None and (file is not None or cell is not None):
        raise InvalidInput("say how many people the study has: --people 100")
    subjects = {"FILE": file, "--cell": cell, "--cells": cells, "--attributes": attributes}
    named = [name for name, value in subjects.items() if value is not None]
    if len(named) > 1:
        raise InvalidInput(f"{' and '.join(named)} do not go together: leave all but one out")
    if engine and (file is not None or cell is not None):
        raise InvalidInput(f"--engine publishes a made-up study: leave out {named[0]}")
    if share is not None and cell is None:
        raise InvalidInput("--share is that of a person's cell: give --cell as well")
    if at_least is not None and cell is None and cells is None:
        raise InvalidInput("--at-least is for a histogram: give --cell or --cells as well")
    if prior is not None and file is None and cell is None:
        raise InvalidInput("--prior is for one person: give a file of their attributes, or --cell")
    size, limit, before = people or "100", at_least or "3", prior or "1/2"
    if cell is not None:
        return membership_in_histogram(
            None if cell == "hidden" else cell,
            share or "1/100",
            size,
            at_least=limit,
            prior=before,
            noise=None if epsilon is None else shared_noise(positive(epsilon, "epsilon"), 2),
        )
    if file is not None:
        return read_study(file, size, prior=before, epsilon=epsilon)
    if cells is not None:
        return histogram_study(
            size, cells, at_least=limit, epsilon=epsilon, seed=seed, engine=engine
        )
    return study(size, attributes or "1000", epsilon=epsilon, seed=seed, engine=engine)


# --- sums -----------------------------------------------------------------------------------------

# What each of the attacks takes beside rows and method; the rest is refused.
_MODES = {
    "": ("queries", "noise", "law", "seed", "data", "column"),
    "engine": ("queries", "seed", "epsilon"),
    "sweep": ("law", "seed"),
    "answers": ("data", "column", "error"),
}


def attack_reconstruct(
    rows: Annotated[
        int | None, "how many people: 128, or 96 with --engine; the first of --data"
    ] = None,
    queries: Annotated[int | None, "how many sums are asked: 512, or 256 with --engine"] = None,
    noise: Annotated[str | None, "the scale of the noise: 2 if left out"] = None,
    law: Annotated[str | None, "laplace, uniform, rounding or none: laplace if left out"] = None,
    method: Annotated[str, "lp or least-squares"] = "lp",
    seed: Annotated[int | None, "of bits, subsets and simulated noise: 0 if left out"] = None,
    sweep: Annotated[bool, "try several scales of noise and numbers of sums"] = False,
    data: Annotated[Path | None, "attack a column of this CSV, TSV or Parquet file"] = None,
    column: Annotated[
        str | None, "the column of --data: 0 and 1, false and true, or no and yes"
    ] = None,
    answers: Annotated[
        Path | None,
        "read subsets and answers from a CSV file, after a line of names: 0 and 1 for each "
        "person, or a list of rows counted from 1, and the answer last",
    ] = None,
    error: Annotated[str | None, "how far every answer of --answers may be from the truth"] = None,
    engine: Annotated[bool, "attack our own release engine, with real noise"] = False,
    epsilon: Annotated[str | None, "the budget of the table under --engine: 1 if left out"] = None,
) -> Result:
    """Reconstruct a secret 0/1 column from noisy answers to subset sums."""
    given = {n: value for n, value in locals().items() if value is not None and value is not False}
    modes = [name for name in _MODES if name in given]
    if len(modes) > 1:
        listed = " and ".join(f"--{mode}" for mode in modes)
        raise InvalidInput(f"{listed} are different attacks: give one of them")
    mode = "".join(modes)
    for name in given.keys() - {"rows", "method", *_MODES, *_MODES[mode]}:
        where = next(one for one in _MODES if name in _MODES[one])
        way = f"has no effect on --{mode}: leave it out" if mode else f"is for --{where}: add that"
        raise InvalidInput(f"--{name} {way}")
    if (data is None) != (column is None):
        raise InvalidInput("--data and --column belong together: a file, and its secret column")
    if data is not None and answers is not None and rows is not None:
        raise InvalidInput("--rows has no effect where --data say how many people there are")
    if law == "none" and noise is not None:
        raise InvalidInput("--law none adds no noise: leave out --noise, or choose another law")
    return _reconstructed(given)


def _reconstructed(given: dict[str, Any]) -> Result:
    from twoworlds.attacks import reconstruction
    from twoworlds.attacks.tables.table import example_path

    how = {"method": given["method"], "seed": given.get("seed", 0)}
    simulated = {**how, "law": given.get("law", "laplace")}
    rows = given.get("rows")
    if "engine" in given:
        asked = given.get("queries", 256)
        epsilon = given.get("epsilon", "1")
        people = 96 if rows is None else rows
        return reconstruction.against_engine(people, asked, epsilon=epsilon, **how)
    if "sweep" in given:
        return _swept(128 if rows is None else rows, simulated)
    truth = None
    if "data" in given:
        truth = reconstruction.read_secret(example_path(given["data"]), given["column"])
    if "answers" in given:
        masks, read = reconstruction.read_sums(
            given["answers"], rows=rows if truth is None else len(truth)
        )
        method, error = given["method"], given.get("error")
        return reconstruction.reconstruct(masks, read, method=method, error=error, truth=truth)
    simulated["noise"] = given.get("noise", "2")
    asked = given.get("queries", 512)
    if truth is None:
        return reconstruction.simulate(128 if rows is None else rows, asked, **simulated)
    if rows is not None and not 1 <= rows <= len(truth):
        raise InvalidInput(f"--rows {rows}: the data have {len(truth)} rows")
    return reconstruction.attack_column(truth[:rows], asked, **simulated)


def _swept(rows: int, how: dict[str, Any]) -> Result:
    """Try 1 to 8 sums for each person, and noise from 0 to 4 times the root of their number."""
    import math
    from fractions import Fraction

    from twoworlds.attacks.reconstruction import sweep

    root = Fraction(round(10 * math.sqrt(max(rows, 0))), 10)
    parts = (0, "1/8", "1/4", "1/2", 1, 2, 4)
    counts = [times * rows for times in (1, 2, 4, 8)]
    return sweep(rows, counts, [Fraction(part) * root for part in parts], **how)


# --- mechanisms of others, and our own engine -----------------------------------------------------


def audit(
    subject: Annotated[
        str, "python:module:name, command:./program, or a mechanism such as geometric(ratio=2)"
    ],
    epsilon: Annotated[
        str | None, "the claim to be refuted; else the subject's own, or none"
    ] = None,
    delta: Annotated[str | None, "the delta of the claim; 0 if left out"] = None,
    pair: Annotated[
        list[str] | None, "two neighbouring databases: '[0, 0] ~ [1, 0]'; repeat it"
    ] = None,
    neighbours: Annotated[
        str | None, "how pairs are proposed: one (entry differs), all, or add-remove"
    ] = None,
    universe: Annotated[str | None, "what the databases are: such as 'bits(5)'"] = None,
    confidence: Annotated[str, "how sure the finding must be"] = "95%",
    samples: Annotated[int, "the largest number of outputs to draw"] = 10_000_000,
    time_limit: Annotated[float, "stop after this many seconds"] = 60.0,
    patience: Annotated[float, "seconds to wait for one output"] = 10.0,
    seed: Annotated[int, "the seed of the random generators"] = 0,
    ignore_low_bits: Annotated[bool, "do not look for floating-point leaks"] = False,
    repeat: Annotated[bool, "the command answers each line of its input"] = False,
    state: Annotated[Path | None, "go on from this file, and keep it up to date"] = None,
) -> Result:
    """Audit a mechanism: search for an event that breaks its privacy claim."""
    import sys

    from twoworlds.attacks.audit import audit as run

    try:
        return run(
            subject,
            epsilon=epsilon,
            delta=delta,
            pairs=pair or None,
            neighbours=neighbours,
            universe=universe,
            confidence=confidence,
            seed=seed,
            samples=samples,
            time_limit=time_limit,
            patience=patience,
            low_bits=not ignore_low_bits,
            repeat=repeat,
            state=state,
        )
    except KeyboardInterrupt:
        if state is not None:
            print(f"twoworlds: the same command goes on from {state}", file=sys.stderr)
        raise


def selftest(
    only: Annotated[str | None, "the numbers of some of the failures: '10, 11'"] = None,
    service: Annotated[
        str | None, "try a running service at this URL instead, from outside"
    ] = None,
    token: Annotated[
        str | None,
        "of an account of the service that may release; else the variable TWOWORLDS_TOKEN",
    ] = None,
    second_token: Annotated[
        str | None, "of another account, for failure 26; else TWOWORLDS_SECOND_TOKEN"
    ] = None,
    dataset: Annotated[str | None, "the dataset of the service that may be asked about"] = None,
    spend: Annotated[str | None, "the epsilon that may be spent on it, such as 1/100"] = None,
) -> Result:
    """Attack the installed release engine in every known way (about a minute)."""
    import os
    import sys

    from twoworlds.attacks.selftest import AttackedService, selftest, selftest_of
    from twoworlds.numbers import rational

    numbers = None if only is None else [part.strip() for part in only.split(",")]
    if service is None:
        return selftest(numbers)
    token = token or os.environ.get("TWOWORLDS_TOKEN")
    second = second_token or os.environ.get("TWOWORLDS_SECOND_TOKEN")
    if token is None or dataset is None or spend is None:
        raise InvalidInput(
            "a service is tried with --token (or TWOWORLDS_TOKEN), on a --dataset that you name, "
            "within what you let it --spend, such as 1/100"
        )
    named = AttackedService(service, token, dataset, rational(spend, "spend"), second)
    print(named.spending(), file=sys.stderr)  # before it is spent
    return selftest_of(named, numbers)
