"""Privacy definitions and their verdicts, one definition per file."""

from __future__ import annotations

from twoworlds.definitions.base import PrivacyDefinition
from twoworlds.definitions.catalogue import DEFINITIONS, check, definition, measure
from twoworlds.definitions.differential_privacy import DifferentialPrivacy
from twoworlds.definitions.games import Games, play
from twoworlds.definitions.indistinguishability import (
    BadMass,
    PointwiseIndistinguishability,
    TwoLaws,
)
from twoworlds.definitions.mutual_information import MutualInformation, capacity, information
from twoworlds.definitions.profile import Piece, Profile
from twoworlds.definitions.semantic import LocalSemanticPrivacy, SemanticPrivacy
from twoworlds.definitions.statistical_difference import StatisticalDifference
from twoworlds.definitions.verdict import Verdict, Witness

__all__ = [
    "DEFINITIONS",
    "BadMass",
    "DifferentialPrivacy",
    "Games",
    "LocalSemanticPrivacy",
    "MutualInformation",
    "Piece",
    "PointwiseIndistinguishability",
    "PrivacyDefinition",
    "Profile",
    "SemanticPrivacy",
    "StatisticalDifference",
    "TwoLaws",
    "Verdict",
    "Witness",
    "capacity",
    "check",
    "definition",
    "information",
    "measure",
    "play",
]
