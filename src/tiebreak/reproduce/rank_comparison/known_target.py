"""Section IV-B: errors of six estimators where the target is known, with truths of our own."""

from __future__ import annotations

import numpy as np

from tiebreak.progress import track
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value
from tiebreak.simulate.known_target import ESTIMATORS, missing_support, replicate


def run(setting: Setting) -> Found:
    """Mean absolute errors over replicates, and the scenario with missing support."""
    times = setting.parameters["replicates"]
    drawn = list(track(replicate(setting.seed, times), times, "known target"))
    figures: dict[str, Value] = {
        name: float(np.mean([errors[name] for errors in drawn])) for name in ESTIMATORS
    }
    unsupported, common = missing_support(setting.seed, times)
    return Found(figures | {"unsupported": unsupported / times, "common": common})
