"""Auxiliary information: why no useful release keeps every secret (Dwork 2006, Sections 1 to 3).

Whoever knows the database can tell everybody something that is worthless alone, and a secret
together with the release: "Terry Gross is two inches shorter than the average Lithuanian woman".
`attack` runs Dwork's Theorem 1 exactly on any finite law: the generator of auxiliary information,
the attacker with access to the release, and the best simulator without.

* `laws`, `sources`, `named`, `files`: databases with utility vector and breaches;
* `sanitisers`: what is seen of the utility vector; `extractors`, `codes`, `fuzzy`: how to hide a
  breach so that only those who see the release can read it;
* `theorem`, `results`: the attack; `flaw`: where the printed proof fails, and its repair;
* `entropy`, `assumptions`: how much unpredictability is enough; `height`, `smoking`: two stories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.attacks.auxiliary.assumptions import Lengths, usable_lengths, vanishing_length
    from twoworlds.attacks.auxiliary.codes import Code, bch, code, cyclic, hamming, repetition
    from twoworlds.attacks.auxiliary.entropy import LeastDistance, least_distance, search_extractors
    from twoworlds.attacks.auxiliary.extractors import Extractor, extractor
    from twoworlds.attacks.auxiliary.files import read_law
    from twoworlds.attacks.auxiliary.flaw import Flaw, flaw
    from twoworlds.attacks.auxiliary.fuzzy import (
        FuzzyExtractor,
        fuzzy_extractor,
        radius_condition,
    )
    from twoworlds.attacks.auxiliary.height import Height, height
    from twoworlds.attacks.auxiliary.laws import (
        Case,
        Law,
        count_law,
        flaw_law,
        independent_law,
        law_of,
        table,
        uniform_secret,
    )
    from twoworlds.attacks.auxiliary.named import named_law, sized_source
    from twoworlds.attacks.auxiliary.results import Attack
    from twoworlds.attacks.auxiliary.sanitisers import Sanitiser, sanitiser
    from twoworlds.attacks.auxiliary.smoking import Smoking, smoking
    from twoworlds.attacks.auxiliary.sources import min_entropy, source
    from twoworlds.attacks.auxiliary.theorem import attack

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "assumptions": ("Lengths", "usable_lengths", "vanishing_length"),
    "codes": ("Code", "bch", "code", "cyclic", "hamming", "repetition"),
    "entropy": ("LeastDistance", "least_distance", "search_extractors"),
    "extractors": ("Extractor", "extractor"),
    "files": ("read_law",),
    "flaw": ("Flaw", "flaw"),
    "fuzzy": ("FuzzyExtractor", "fuzzy_extractor", "radius_condition"),
    "height": ("Height", "height"),
    "laws": (
        "Case",
        "Law",
        "count_law",
        "flaw_law",
        "independent_law",
        "law_of",
        "table",
        "uniform_secret",
    ),
    "named": ("named_law", "sized_source"),
    "results": ("Attack",),
    "sanitisers": ("Sanitiser", "sanitiser"),
    "smoking": ("Smoking", "smoking"),
    "sources": ("min_entropy", "source"),
    "theorem": ("attack",),
}

__all__ = [
    "Attack",
    "Case",
    "Code",
    "Extractor",
    "Flaw",
    "FuzzyExtractor",
    "Height",
    "Law",
    "LeastDistance",
    "Lengths",
    "Sanitiser",
    "Smoking",
    "attack",
    "bch",
    "code",
    "count_law",
    "cyclic",
    "extractor",
    "flaw",
    "flaw_law",
    "fuzzy_extractor",
    "hamming",
    "height",
    "independent_law",
    "law_of",
    "least_distance",
    "min_entropy",
    "named_law",
    "radius_condition",
    "read_law",
    "repetition",
    "sanitiser",
    "search_extractors",
    "sized_source",
    "smoking",
    "source",
    "table",
    "uniform_secret",
    "usable_lengths",
    "vanishing_length",
]

__getattr__, __dir__ = names_of(__name__, _PLACES)
