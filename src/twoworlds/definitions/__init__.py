"""Privacy definitions and their verdicts, one definition per file."""

from __future__ import annotations

from twoworlds.definitions.base import PrivacyDefinition
from twoworlds.definitions.catalogue import DEFINITIONS, check, definition, measure
from twoworlds.definitions.differential_privacy import DifferentialPrivacy
from twoworlds.definitions.indistinguishability import (
    BadMass,
    PointwiseIndistinguishability,
    StatisticalDifference,
    TwoLaws,
)
from twoworlds.definitions.mutual_information import MutualInformation, capacity, information
from twoworlds.definitions.profile import Piece, Profile
from twoworlds.definitions.verdict import Verdict, Witness

__all__ = [
    "DEFINITIONS",
    "BadMass",
    "DifferentialPrivacy",
    "MutualInformation",
    "Piece",
    "PointwiseIndistinguishability",
    "PrivacyDefinition",
    "Profile",
    "StatisticalDifference",
    "TwoLaws",
    "Verdict",
    "Witness",
    "capacity",
    "check",
    "definition",
    "information",
    "measure",
]
