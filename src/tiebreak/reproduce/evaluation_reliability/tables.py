"""What follows from the paper's own tables, without records."""

from __future__ import annotations

from tiebreak.kernels.concordance import FIELLER, fisher
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value


def taus(setting: Setting) -> Found:
    """tanh(atanh τ ± 1.96·sqrt(.437/(n − 4))) for the mean score and the adjusted effect."""
    figures: dict[str, Value] = {}
    for name, (n, mean, adjusted) in setting.parameters["taus"].items():
        variance = FIELLER / (n - 4)
        bounds = [fisher(tau, variance, 0.95) for tau in (mean, adjusted)]
        figures[name] = [float(bound) for pair in bounds for bound in pair]
    return Found(figures)


def facts(setting: Setting) -> Found:
    """Ranges of systems and models, and the largest gain from unlimited tasks."""
    limit, model, system = (setting.parameters[k] for k in ("limit", "model", "system"))
    gains = [a - b for a, b in zip(limit, model, strict=True)]
    return Found(
        {
            "systems": [min(system), max(system)],
            "models": [min(model), max(model)],
            "largest_gain": max(gains),
        }
    )
