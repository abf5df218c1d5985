"""Section V-C: label sources of AgentRewardBench against the experts, and their calibration."""

from __future__ import annotations

from tiebreak.questions.labels import labels
from tiebreak.readers import read
from tiebreak.reproduce.boards import stated
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.label_lines import CalibrationLine, SourceLine
from tiebreak.results.labels import LabelsResult
from tiebreak.results.reproduce import Value


def run(setting: Setting) -> Found:
    """Any annotation for the paper's figures, the first one for those of the benchmark itself."""
    p = setting.parameters
    folder, options = setting.records["folder"], {"seed": setting.seed, "draws": p["draws"]}
    by_any, by_first = (
        labels(read(folder, duplicates=rule), p["reference"], cells=p["cells"], **options)
        for rule in ("any", "first")
    )
    functional = by_any.sources[0]
    figures: dict[str, Value] = {
        "trajectories": functional.overall.n,
        "bias": 100 * _rate(functional, "bias"),
        "fnr": _rate(functional, "fnr"),
        "fnr_first": _rate(by_first.sources[0], "fnr"),
        "functional": _retrieval(by_first.sources[0]),
        "aer_c": _retrieval(by_first.sources[1]),
    }
    found = (by_any.provenance, by_first.provenance)
    return Found(figures | _calibration(by_any.calibration[0]) | _annotators(by_any), found)


def _rate(source: SourceLine, name: str) -> float:
    return stated(source.overall.rates[name].value)


def _retrieval(source: SourceLine) -> Value:
    return [100 * _rate(source, name) for name in ("precision", "recall", "f1")]


def _calibration(line: CalibrationLine) -> dict[str, Value]:
    moved = line.leave_one_out_mean
    return {
        "calibrated": stated(line.mean),
        "brier": stated(line.brier),
        "auc": stated(line.auc),
        "left_out": [stated(v) for v in (moved.difference, moved.low, moved.high)],
    }


def _annotators(result: LabelsResult) -> dict[str, Value]:
    (found,) = result.annotators
    return {"annotators": [found.n, found.disagree, stated(found.agreement)]}
