"""Section IV-C: labels permuted within tasks, and weights perturbed around equal benchmarks."""

from __future__ import annotations

from tiebreak.options import find_configuration
from tiebreak.questions.permute import permute
from tiebreak.questions.targets import targets
from tiebreak.readers import read
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value
from tiebreak.results.targets import TargetsResult


def run(setting: Setting) -> Found:
    """Under the common-support target; the gap of the paper is that on matched tasks."""
    p = setting.parameters
    trials = read(setting.records["annotations"], duplicates=p["duplicates"])
    matched, standardized = (
        permute(
            trials,
            permutations=p["permutations"],
            gap=gap,
            target=p["target"],
            support="common",
            margin=p["margin"],
            seed=setting.seed,
        )
        for gap in ("matched", "standardized")
    )
    drawn = targets(
        trials,
        targets=[p["target"]],
        support="common",
        margin=p["margin"],
        perturb=p["perturb"],
        concentration=p["concentration"],
        seed=setting.seed,
    )
    figures: dict[str, Value] = {
        "max_gap": matched.max_gap,
        "max_gap_standardized": standardized.max_gap,
        "reference_95": matched.max_gap_reference_95,
        "max_gap_p": matched.max_gap_p,
        "practical_gaps_p": matched.practical_gaps_p,
    }
    figures |= _perturbed(drawn, p["top"])
    return Found(figures, (matched.provenance, drawn.provenance))


def _perturbed(drawn: TargetsResult, fragment: str) -> dict[str, Value]:
    """How many draws have the published winner on top, and by how much."""
    found = drawn.perturbation
    if found is None:
        return {}
    name = find_configuration(list(found.top), fragment)
    return {"top": round(found.n * found.top[name]), "top_gap_10": found.top_gap["0.1"]}
