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
from twoworlds.definitions.semantics.games import Games, play
from twoworlds.definitions.semantics.informed import InformedPrivacy
from twoworlds.definitions.semantics.local import LocalSemanticPrivacy
from twoworlds.definitions.semantics.oblivious import RealityObliviousPrivacy
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.verdict import Verdict, Witness

__all__ = [
    "DEFINITIONS",
    "BadMass",
    "DifferentialPrivacy",
    "Games",
    "InformedPrivacy",
    "LocalSemanticPrivacy",
    "MutualInformation",
    "Piece",
    "PointwiseIndistinguishability",
    "PrivacyDefinition",
    "Profile",
    "RealityObliviousPrivacy",
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
