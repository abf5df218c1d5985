"""Known truth by hand: evidence of one pair, its flags in order, its verdict and winner."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.decide import VERDICTS, Evidence, decide, practical_winner

NAN = float("nan")
CLEAR = {
    "gap": 0.10,
    "low": 0.04,
    "high": 0.16,
    "bound_error": 0.0,
    "movement_low": -0.01,
    "movement_high": 0.03,
    "movement_error": 0.0,
    "raw_order": 1.0,
    "unsupported": False,
    "sources_disagree": False,
}
MIRRORED = CLEAR | {"gap": -0.10, "low": -0.16, "high": -0.04, "raw_order": -1.0}
GROUPED = CLEAR | dict.fromkeys(("low", "high", "movement_low", "movement_high"), NAN)


def judged(base=CLEAR, margin=0.02, **changed):
    values = {k: np.array([v]) for k, v in (base | changed).items()}
    found = decide(Evidence(**values), margin)
    flags = [name for name, on in found.flags.items() if on[0]]
    return VERDICTS[found.verdict[0]], flags, float(found.winner[0])


@pytest.mark.parametrize(("base", "winner"), [(CLEAR, 1.0), (MIRRORED, -1.0)])
def test_a_clear_pair_is_stable_and_has_its_winner(base, winner):
    assert judged(base) == ("stable", ["stable"], winner)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({"unsupported": True}, "unsupported"),
        ({"sources_disagree": True}, "verifier-sensitive"),
        ({"low": -0.01}, "underpowered"),
        ({"low": 0.0}, "underpowered"),  # the interval is closed: 0 at its end is inside
        ({"gap": 0.015, "low": 0.001, "high": 0.03}, "underpowered"),
        ({"raw_order": -1.0}, "target-sensitive"),
        ({"movement_low": 0.021}, "target-sensitive"),
        ({"movement_low": -0.2, "movement_high": -0.021}, "target-sensitive"),
    ],
)
def test_one_condition_gives_one_flag_and_its_verdict(changed, verdict):
    assert judged(**changed)[:2] == (verdict, [verdict])


def test_verdicts_come_in_order_and_every_flag_is_kept():
    everything = {"sources_disagree": True, "low": -0.01, "movement_low": 0.021}
    verdict, flags, _ = judged(**everything)
    assert verdict == "verifier-sensitive"
    assert flags == ["verifier-sensitive", "underpowered", "target-sensitive"]
    assert judged(low=-0.01, movement_low=0.021)[:2] == (
        "underpowered",
        ["underpowered", "target-sensitive"],
    )


def test_an_unsupported_pair_has_no_winner_and_no_other_verdict():
    assert judged(unsupported=True, sources_disagree=True, low=-1.0, bound_error=9.0) == (
        "unsupported",
        ["unsupported"],
        0.0,
    )


@pytest.mark.parametrize("base", [CLEAR, MIRRORED, GROUPED])
def test_a_raw_tie_is_opposite_to_nothing(base):
    assert "target-sensitive" not in judged(base, raw_order=0.0)[1]


def test_an_order_that_flips_without_a_practical_winner_is_not_target_sensitive():
    """low < 0: nobody wins under the target, so nobody's win depends on it."""
    assert judged(low=-0.01, raw_order=-1.0)[1] == ["underpowered"]


@pytest.mark.parametrize(
    ("low", "high", "sensitive"),
    [(-0.05, 0.30, False), (0.0199, 0.30, False), (0.02, 0.3, False), (0.0201, 0.3, True)],
)
def test_movement_is_judged_by_its_bound_not_by_its_point(low, high, sensitive):
    """A movement of 12 points ± 17 says nothing; the published point rule called it sensitive."""
    assert ("target-sensitive" in judged(movement_low=low, movement_high=high)[1]) is sensitive


@pytest.mark.parametrize("margin", [0.02, 0.1])
def test_a_gap_of_exactly_the_margin_matters(margin):
    assert judged(gap=margin, margin=margin)[0] == "stable"
    assert judged(gap=margin - 1e-9, margin=margin)[0] == "underpowered"


@pytest.mark.parametrize(
    ("changed", "flagged"),
    [
        ({"low": 0.001}, False),  # nothing drawn, no Monte Carlo error
        ({"low": 0.001, "bound_error": 0.001}, True),
        ({"low": 0.003, "bound_error": 0.001}, False),
        ({"low": -0.3, "high": 0.001, "bound_error": 0.001}, True),
        ({"movement_low": 0.0185, "movement_error": 0.001}, True),
        ({"movement_low": 0.017, "movement_error": 0.001}, False),
        ({"movement_low": 0.0199}, False),
    ],
)
def test_a_deciding_bound_within_two_monte_carlo_errors_is_flagged(changed, flagged):
    assert ("monte_carlo" in judged(**changed)[1]) is flagged


def test_grouped_records_are_judged_without_an_interval_and_have_no_winner():
    assert judged(GROUPED) == ("stable", ["stable", "no_interval"], 0.0)
    assert judged(GROUPED, gap=0.01)[0] == "underpowered"
    assert judged(GROUPED, raw_order=-1.0)[0] == "target-sensitive"
    assert judged(GROUPED, gap=0.01, raw_order=-1.0)[1] == ["underpowered", "no_interval"]


@pytest.mark.parametrize(
    ("gap", "low", "high", "winner"),
    [
        (0.02, 0.001, 0.04, 1),
        (0.019, 0.001, 0.04, 0),
        (0.1, 0.0, 0.2, 0),
        (-0.1, -0.2, -0.01, -1),
        (-0.1, -0.2, 0.0, 0),
        (NAN, NAN, NAN, 0),
    ],
)
def test_practical_winner(gap, low, high, winner):
    arrays = (np.array([v]) for v in (gap, low, high))
    assert practical_winner(*arrays, 0.02).tolist() == [winner]


def test_pairs_are_decided_on_their_own():
    """Three pairs at once equal each alone."""
    cases = [CLEAR, CLEAR | {"low": -0.1}, CLEAR | {"unsupported": True}]
    together = {k: np.array([c[k] for c in cases]) for k in CLEAR}
    found = decide(Evidence(**together), 0.02)
    assert [VERDICTS[v] for v in found.verdict] == [judged(c)[0] for c in cases]
