"""Section IV-A, Table I: how often the verdict is the known state, with truths of our own."""

from __future__ import annotations

from tiebreak.design import Design
from tiebreak.kernels.proportion import wilson_interval
from tiebreak.progress import track
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value
from tiebreak.simulate.verdicts import SCENARIOS, Recovery, replicate, tally


def run(setting: Setting) -> Found:
    """Replicates of every scenario, judged by the percentile bootstrap."""
    p = setting.parameters
    replicates, draws, margin = p["replicates"], p["draws"], p["margin"]
    design = Design(interval="percentile", draws=draws, margin=margin, seed=setting.seed)
    found = {
        s.state: tally(s.state, track(replicate(s, design, replicates), replicates, s.state))
        for s in SCENARIOS
    }
    return Found(_figures(found, replicates))


def _figures(found: dict[str, Recovery], replicates: int) -> dict[str, Value]:
    by_point = found["stable"].by_point
    rates: dict[str, Value] = {
        state: _rate(recovery.recovered, replicates) for state, recovery in found.items()
    }
    return rates | {
        "modal": sum(recovery.modal == state for state, recovery in found.items()),
        "by_point": by_point["stable"] / replicates,
        "overcalled": by_point["target-sensitive"],
    }


def _rate(successes: int, replicates: int) -> Value:
    """The rate and its Wilson interval."""
    return [successes / replicates, *wilson_interval(successes, replicates)]
