"""Tables of the answer to ``labels``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tiebreak.display import Column, Table
from tiebreak.results.label_lines import (
    CalibrationLine,
    ErrorLine,
    Powered,
    PoweredLine,
    RateValue,
    SourceLine,
)
from tiebreak.results.provenance import as_dict

MAX_GAPS_SHOWN = 30
"""Longer tables of powered gaps are left to JSON."""
SHOWN = ("bias", "fpr", "fnr", "precision", "recall", "f1", "agreement", "kappa")


def source_table(sources: Iterable[SourceLine], reference: str) -> Table:
    """Every source against the reference, overall."""
    columns = [Column("source"), Column("n", "labels", "whole"), Column("bias", kind="points")]
    columns += [Column(name, kind="score") for name in SHOWN[1:]]
    columns += [Column("reversed", "reversed"), Column("tau")]
    rows = [_source_row(s) for s in sources]
    caption = f"Sources against {reference} (bias in points; pairs of configurations reversed)"
    return Table(caption, columns, rows)


def _source_row(line: SourceLine) -> dict[str, Any]:
    chosen = line.selection
    tau = chosen.kendall_tau
    return {
        "source": line.source,
        "n": line.overall.n,
        **{name: line.overall.rates[name].value for name in SHOWN},
        "reversed": f"{len(chosen.reversed_pairs)} of {chosen.n_pairs}",
        "tau": None if tau is None else f"{tau:.2f}",
    }


def error_table(sources: Iterable[SourceLine], kind: str) -> Table:
    """Bias and error rates with intervals: overall, then per configuration or cell."""
    columns = [
        Column("source"),
        Column("name", kind),
        Column("n", "labels", "whole"),
        Column("bias", "bias, points"),
        Column("fpr"),
        Column("fnr"),
    ]
    rows = []
    for source in sources:
        lines = source.configurations if kind == "configuration" else source.cells
        rows += [_error_row(source.source, line) for line in (source.overall, *lines)]
    return Table(f"Errors by {kind}, with intervals", columns, rows)


def _error_row(source: str, line: ErrorLine) -> dict[str, Any]:
    return {
        "source": source,
        "name": line.name,
        "n": line.n,
        "bias": _with_interval(line.rates["bias"], 100, "+.1f"),
        "fpr": _with_interval(line.rates["fpr"], 1, ".3f"),
        "fnr": _with_interval(line.rates["fnr"], 1, ".3f"),
    }


def _with_interval(rate: RateValue, scale: float, form: str) -> str | None:
    if rate.value is None or rate.low is None or rate.high is None:
        return None
    value, low, high = (f"{scale * v:{form}}" for v in (rate.value, rate.low, rate.high))
    return f"{value} [{low}, {high}]"


def calibration_table(lines: Iterable[CalibrationLine]) -> Table:
    """Cross-fitted calibrations."""
    columns = [
        Column("source"),
        Column("n", "labels", "whole"),
        *(Column(n, h, "score") for n, h in (("mean", ""), ("reference", ""), ("mean_raw", "raw"))),
        *(Column(n, h, "score") for n, h in (("brier", "Brier"), ("brier_raw", "raw Brier"))),
        Column("difference", "Brier − raw"),
        Column("log_loss", "log loss", "score"),
        Column("auc", "AUC", "score"),
    ]
    rows = [
        as_dict(line) | {"difference": _interval(*as_dict(line.difference).values())}
        for line in lines
        if line.reason is None
    ]
    return Table("Calibrated: P(reference success), cross-fitted by task", columns, rows)


def _interval(value: float | None, low: float | None, high: float | None) -> str | None:
    if value is None:
        return None
    bounds = "" if low is None or high is None else f" [{low:+.3f}, {high:+.3f}]"
    return f"{value:+.3f}{bounds}"


def left_out_table(lines: Iterable[CalibrationLine]) -> Table:
    """Every configuration predicted from the others."""
    columns = [
        Column("source"),
        Column("configuration"),
        *(Column(n, h, "score") for n, h in (("mean", ""), ("reference", ""), ("mean_raw", "raw"))),
        Column("difference", "Brier − raw"),
    ]
    rows: list[dict[str, Any]] = []
    for line in lines:
        for c in line.leave_one_out:
            moved = _interval(c.difference, c.difference_low, c.difference_high)
            rows.append(as_dict(c) | {"source": line.source, "difference": moved})
        mean = line.leave_one_out_mean
        if mean.difference is not None:
            moved = _interval(mean.difference, mean.low, mean.high)
            rows.append({"source": line.source, "configuration": "mean", "difference": moved})
    return Table("Does it carry over? One configuration left out", columns, rows)


def powered_tables(powered: Iterable[Powered]) -> list[Table]:
    """Scores and gaps where the judge adds labels."""
    used = [p for p in powered if p.helps]
    scores = [(p.source, line) for p in used for line in p.scores]
    gaps = [(p.source, line) for p in used for line in p.gaps]
    columns = [
        Column("judge"),
        Column("what", "configuration"),
        *(Column(n, n, "score") for n in ("value", "low", "high")),
        Column("alone", "reference alone"),
        Column("n_reference", "labels", "whole"),
        Column("effective", "worth"),
    ]
    in_points = [Column(n, n, "points") for n in ("value", "low", "high")]
    gap_columns = [columns[0], Column("what", "a − b"), *in_points, *columns[5:]]
    tables = [Table("Scores from reference and judge labels", columns, _powered_rows(scores, 1))]
    if len(gaps) <= MAX_GAPS_SHOWN:
        caption = "Gaps from reference and judge labels (points)"
        tables.append(Table(caption, gap_columns, _powered_rows(gaps, 100)))
    return [t for t in tables if t.rows]


def _powered_rows(lines: Iterable[tuple[str, PoweredLine]], scale: int) -> list[dict[str, Any]]:
    form = ".3f" if scale == 1 else "+.1f"
    rows = []
    for source, line in lines:
        alone = RateValue(line.value_reference, line.low_reference, line.high_reference)
        rows.append(
            as_dict(line)
            | {
                "judge": source,
                "what": line.configuration or f"{line.a} − {line.b}",
                "alone": _with_interval(alone, scale, form),
                "effective": None if line.n_effective is None else f"{line.n_effective:.0f}",
            }
        )
    return rows
