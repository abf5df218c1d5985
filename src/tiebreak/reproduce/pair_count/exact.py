"""Everything that is enumerated: no draw, no records."""

from __future__ import annotations

import math
from fractions import Fraction

from tiebreak.kernels.pair_counts.enumeration import State, covers, equality_states, z_value
from tiebreak.kernels.pair_counts.rules import near_limit
from tiebreak.kernels.pair_counts.variances import METHODS, SHARED, PairSums
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.pair_coverage import PairCoverageResult
from tiebreak.results.reproduce import Value
from tiebreak.simulate.pairs import pair_coverage


def coverage(setting: Setting) -> Found:
    """The grid: M by method, with the matched independent edges."""
    p = setting.parameters
    found = pair_coverage("equality", Fraction(p["p"]), p["m"])
    shared = [c for m in SHARED for c in _column(found, m)]
    iid, independent = _column(found, "pair-iid"), _column(found, "independent")
    gaps = [i - s for i, s in zip(independent, iid, strict=True)]
    passes = [r.passes or 0.0 for r in found.rows if r.method == "hoeffding"]
    given = [r.conditional or 0.0 for r in found.rows if r.method == "hoeffding"]
    sets = {
        r.m: {s.covering for s in found.rows if s.m == r.m and s.method in SHARED}
        for r in found.rows
    }
    return Found(
        {
            "truth": found.truth,
            "pairs": sorted({r.pairs for r in found.rows}),
            "pair_iid": _list(iid),
            "shared": [min(shared), max(shared)],
            "by_m": _list(_column(found, "hoeffding")),
            "same_sets": "yes" if all(len(s) == 1 for s in sets.values()) else "no",
            "independent": _list(independent),
            "gap": [min(gaps), max(gaps)],
            "passes": _list(passes),
            "conditional": _list(given),
        }
    )


def _list(values: list[float]) -> list[int | float]:
    return list(values)


def _column(found: PairCoverageResult, method: str) -> list[float]:
    return [r.coverage for r in found.rows if r.method == method]


def constant(setting: Setting) -> Found:
    """Unconditional coverage 1, and a diagnostic that never passes."""
    found = pair_coverage("constant", None, setting.parameters["m"])
    coverages = [r.coverage for r in found.rows]
    return Found(
        {
            "coverage": [min(coverages), max(coverages)],
            "passes": max(r.passes or 0.0 for r in found.rows),
        }
    )


def oracle(setting: Setting) -> Found:
    """Every state in floats beside rationals: classifications, diagnostics, largest error."""
    p = setting.parameters
    truth = Fraction(p["p"]) ** 2 + (1 - Fraction(p["p"])) ** 2
    states = [s for m in p["m"] for s in equality_states(m, Fraction(p["p"]))]
    disagree, worst = 0, 0.0
    for state in states:
        wrong, error = compare_state(state, truth)
        disagree, worst = disagree + wrong, max(worst, error)
    return Found(
        {
            "states": len(states),
            "disagreements": disagree,
            "largest_error": worst * 1e15,
            "control": _control(),
            "misclassified": _misclassified(p["tasks"], Fraction(p["near"])),
        }
    )


def compare_state(state: State, truth: Fraction) -> tuple[int, float]:
    """Disagreements of binary64 with the rationals on a state, and its largest absolute error."""
    s, z = state.sums, z_value(0.95)
    plain = PairSums(s.size, float(s.rows), float(s.rows_squared), float(s.squares))
    errors = [abs(plain.mean - float(s.mean))]
    wrong = int(plain.components().passes != s.components().passes)
    for method in METHODS:
        variance = plain.variance(method)
        errors.append(abs(variance - float(s.variance(method))))
        half = float(z) * math.sqrt(max(variance, 0.0))
        hit = abs(plain.mean - float(truth)) <= half
        wrong += hit != covers(s.mean, s.variance(method), truth, z)
    return wrong, max(errors)


def _control() -> str:
    """|13/20 − 12/20| ≤ 0.05 in integers and in binary64."""
    near, (high, low) = Fraction(1, 20), (13, 12)
    exact = high - low <= near_limit(near, 20)
    floats = high / 20 - low / 20 <= float(near)
    return f"integers {'yes' if exact else 'no'}, binary64 {'yes' if floats else 'no'}"


def _misclassified(tasks: int, near: Fraction) -> Value:
    """Pairs of counts exactly a margin apart: how many, and misjudged by floats and by integers."""
    apart = int(near * tasks)
    pairs = [(c, c + apart) for c in range(tasks - apart + 1)]
    floats = sum(not abs(a / tasks - b / tasks) <= float(near) for a, b in pairs)
    whole = sum(not abs(a - b) <= near_limit(near, tasks) for a, b in pairs)
    return [len(pairs), floats, whole]
