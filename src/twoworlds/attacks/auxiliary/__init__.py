"""Auxiliary information: why no useful release keeps every secret (Dwork 2006, Sections 1 to 3).

Whoever knows the database can tell everybody something that is worthless alone, and a secret
together with the release: "Terry Gross is two inches shorter than the average Lithuanian woman".
`attack` runs Dwork's Theorem 1 exactly on any finite law: the generator of auxiliary information,
the attacker with access to the release, and the best simulator without.

* `laws`: databases with utility vector and breaches;
* `extractors`: how to hide a breach so that only those who see the release can read it;
* `game`: what is seen of the vector, and who wins; `theorem`: what that says of Theorem 1;
* `entropy`: how much unpredictability is enough;
* `stories`: height and smoking; where the printed proof fails, and its repair.
"""

from twoworlds.attacks.auxiliary.entropy import (
    entropy_needed,
    least_distance,
    min_entropy,
    source_entropy,
    usable_lengths,
    vanishing_length,
)
from twoworlds.attacks.auxiliary.extractors import Code, Extractor, code, extractor, fuzzy_extractor
from twoworlds.attacks.auxiliary.laws import (
    BreachLaw,
    Case,
    count_law,
    flaw_law,
    independent_law,
    law_of,
    named_law,
    read_law,
    source,
    table,
)
from twoworlds.attacks.auxiliary.stories import flaw, height, smoking, story
from twoworlds.attacks.auxiliary.theorem import attack

__all__ = [
    "BreachLaw",
    "Case",
    "Code",
    "Extractor",
    "attack",
    "code",
    "count_law",
    "entropy_needed",
    "extractor",
    "flaw",
    "flaw_law",
    "fuzzy_extractor",
    "height",
    "independent_law",
    "law_of",
    "least_distance",
    "min_entropy",
    "named_law",
    "read_law",
    "smoking",
    "source",
    "source_entropy",
    "story",
    "table",
    "usable_lengths",
    "vanishing_length",
]
