"""Section V-D: who is on top of the four primary systems of tau2-bench as dollars count more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from tiebreak.questions.cost import cost
from tiebreak.readers import read
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value

COSTS = "Mean cost per LLM:"
FIRST = 3
"""Lines from the title of a table of costs to its first system: two of headings come between."""


def run(setting: Setting) -> Found:
    """Equal-domain success against the released mean agent-side cost of a trajectory.

    That cost is a mean over the trajectories of all domains, the only one that was released.
    """
    p = setting.parameters
    primary = read(setting.records["pass_counts"], where=p["primary"])
    dollars = agent_costs(setting.records["costs"])
    names = pl.col("configuration").cast(pl.String)
    priced = primary.frame.with_columns(cost_usd=names.replace_strict(dollars))
    found = cost(replace(primary, frame=priced), target=p["target"])
    first, second = found.switches.lines[0], found.switches.lines[1:]
    figures: dict[str, Value] = {
        "first_switch": first.price,
        "from_to": f"{first.before} to {first.after}",
        "later": "; ".join(f"{s.after} from {s.price:.3f}" for s in second),
    }
    return Found(figures, (found.provenance,))


def agent_costs(path: Path) -> dict[str, float]:
    """USD per trajectory of every system, the first number of its line in the first table."""
    lines = path.read_text(encoding="utf-8").splitlines()
    table = lines[lines.index(COSTS) + FIRST :]
    rows = (line.split() for line in table[: table.index("")])
    return {name: float(dollars) for name, dollars, *_ in rows}
