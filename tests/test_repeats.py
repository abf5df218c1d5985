"""Which runs span tasks, and how the arrays follow the panel."""

from __future__ import annotations

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import SpecError
from tiebreak.panel import build_panel

TASKS = [f"t{i}" for i in range(6)]


def panel_of(trials, **estimand):
    return build_panel(trials, tb.Estimand(**estimand))


def test_a_single_run_has_no_repeats(make_trials):
    panel = panel_of(make_trials({"a": dict.fromkeys(TASKS, 1.0), "b": dict.fromkeys(TASKS, 0.0)}))
    assert panel.repeats is None
    assert panel.single_runs.all()


def test_runs_whose_ids_recur_are_crossed_and_others_nested(make_trials):
    whole = {t: [1.0, 0.0, 1.0] for t in TASKS}
    uneven = {t: [1.0] * (1 + i % 3) for i, t in enumerate(TASKS)}
    r = panel_of(make_trials({"a": whole, "b": uneven})).repeats
    assert r.crossed.tolist() == [True, False]
    assert r.ids(0) == ("0", "1", "2")
    assert r.ids(1) == ()
    assert r.fewest.tolist() == [3, 1]
    assert np.isnan(r.outcomes[1]).all()


def test_arrays_follow_the_order_of_cells(make_trials):
    cells = {t: "xyz"[i % 3] for i, t in enumerate(TASKS)}
    scores = {t: [float(i == 2), 1.0] for i, t in enumerate(TASKS)}
    panel = panel_of(
        make_trials({"a": scores, "b": scores}, cells), target=tb.Target("equal", "cell")
    )
    at = panel.tasks.index("t2")
    assert panel.repeats.outcomes[0, :, 0].tolist() == [float(i == at) for i in range(6)]
    assert panel.repeats.means == pytest.approx(panel.values)


def test_crossed_cannot_be_claimed_of_scattered_trials(make_trials):
    uneven = {t: [1.0] * (1 + i % 3) for i, t in enumerate(TASKS)}
    trials = make_trials({"a": uneven, "b": uneven})
    with pytest.raises(SpecError, match="no run spans the tasks of some configurations"):
        tb.compare(trials, "a", "b", runs="crossed")
