"""One run is an anecdote: variance in repository-level agent evaluations.

Results and tables in this package are numbered as in the paper. Its published remedy, t on
within-run differences, holds its level for the benchmark claim only; both claims are shown.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tiebreak.reproduce.contract import Found, Paper, Section, Setting
from tiebreak.simulate import one_run_study as study
from tiebreak.simulate.one_run import AGENTS, TARGET_RATES, calibrated_skill


def _result(compute: Callable[[study.Study], dict[str, float]]) -> Callable[[Setting], Found]:
    def run(setting: Setting) -> Found:
        return Found(dict(compute(study.Study(setting.parameters["replicates"], setting.seed))))

    return run


def _calibration(setting: Setting) -> Found:
    """Skills that hit the stated population rates, by quadrature instead of reference tasks."""
    del setting  # nothing is drawn and nothing stated but the rates
    return Found(
        {
            f"skill_{name}": calibrated_skill(TARGET_RATES[name], agent.sharpness)
            for name, agent in AGENTS.items()
        }
    )


PAPER = Paper(
    name="one-run",
    title="One run is an anecdote: variance in repository-level agent evaluations",
    folder=Path(__file__).parent,
    sections=(
        Section("calibration", "The model: calibrated skills", _calibration),
        Section("spread", "Result 1: the same agent again", _result(study.spread)),
        Section("coverage", "Result 2: coverage at nominal 95 %", _result(study.coverage)),
        Section("comparisons", "Result 3: B against C", _result(study.comparisons)),
        Section("null", "Result 3: C against its twin", _result(study.null)),
        Section("reliability", "Result 4: equal pass@1", _result(study.reliability)),
        Section("runs_needed", "How many runs", _result(study.runs_needed)),
    ),
)
