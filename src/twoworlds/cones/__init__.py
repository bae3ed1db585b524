"""Guarantees as geometry: what every likelihood row of a trusted mechanism has in common.

    row_cone          the rows that can occur, from mechanisms or definitions     Definition 4.6
    statements        each inequality in words: which attacker, protected from what      4.2.3
    largest_odds      how far the odds between two secrets can move at most              4.2.3
    consistent_normal_form_contains    is a mechanism built from trusted ones?     Theorem 4.4
    eliminate, relax  drop guarantees, keep what follows from the others                   5.4
    compare           which of two definitions promises more
    design            the most accurate mechanism that a definition allows
    noise_cone        integer noise, by the inverse of its convolution                     5.3
    verify            check a certificate by exact arithmetic

The numbers are those of Lin & Kifer, *Towards a Systematic Analysis of Privacy Definitions*. All
answers are exact and carry a certificate.
"""

from twoworlds.cones.amplification import Frapp, frapp_row_cone
from twoworlds.cones.certificates import Certificate, verify
from twoworlds.cones.compare import Separation, Strength, compare
from twoworlds.cones.design import Design, design, saving
from twoworlds.cones.elimination import Derived, Relaxation, eliminate, relax
from twoworlds.cones.linear import LinearDefinition, RowConstraints
from twoworlds.cones.noise.noise_cone import NoiseCone, noise_cone
from twoworlds.cones.noise.noise_statements import (
    NoiseStatement,
    noise_statements,
    telescoping,
)
from twoworlds.cones.normal_form import InverseMatrix, consistent_normal_form_contains, inverse
from twoworlds.cones.per_record import PerRecordCone, ProductInequality
from twoworlds.cones.row_cone import Inequality, RowCone, build_source, row_cone
from twoworlds.cones.words.odds import LargestOdds, both_ways, largest_odds, largest_parity_odds
from twoworlds.cones.words.parity import (
    ParityCheck,
    attacker_who_changes_his_mind,
    guards_parity,
    parity_check,
)
from twoworlds.cones.words.statements import (
    Statement,
    example,
    example_statements,
    grouped,
    statement,
    statements,
)

__all__ = [
    "Certificate",
    "Derived",
    "Design",
    "Frapp",
    "Inequality",
    "InverseMatrix",
    "LargestOdds",
    "LinearDefinition",
    "NoiseCone",
    "NoiseStatement",
    "ParityCheck",
    "PerRecordCone",
    "ProductInequality",
    "Relaxation",
    "RowCone",
    "RowConstraints",
    "Separation",
    "Statement",
    "Strength",
    "attacker_who_changes_his_mind",
    "both_ways",
    "build_source",
    "compare",
    "consistent_normal_form_contains",
    "design",
    "eliminate",
    "example",
    "example_statements",
    "frapp_row_cone",
    "grouped",
    "guards_parity",
    "inverse",
    "largest_odds",
    "largest_parity_odds",
    "noise_cone",
    "noise_statements",
    "parity_check",
    "relax",
    "row_cone",
    "saving",
    "statement",
    "statements",
    "telescoping",
    "verify",
]
