"""Golden of prediction-powered means: python ppi_python.py, with ppi-python 0.2.3."""

import json
import sys

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

cases = []
for seed, n, extra, wrong in ((1, 60, 400, 0.1), (4, 200, 300, 0.25), (3, 40, 1000, 0.45)):
    rng = np.random.default_rng(seed)
    y = (rng.random(n + extra) < 0.4).astype(float)
    z = np.where(rng.random(n + extra) < wrong, 1 - y, y)
    lam = 0.37
    point = ppi_mean_pointestimate(y[:n], z[:n], z[n:], lam=lam)
    low, high = ppi_mean_ci(y[:n], z[:n], z[n:], alpha=0.05)
    tuned = ppi_mean_pointestimate(y[:n], z[:n], z[n:])
    cases.append(
        {
            "seed": seed,
            "y": y[:n].astype(int).tolist(),
            "z": z[:n].astype(int).tolist(),
            "z_extra": z[n:].astype(int).tolist(),
            "lam": lam,
            "point": float(np.squeeze(point)),
            "tuned": float(np.squeeze(tuned)),
            "low": float(np.squeeze(low)),
            "high": float(np.squeeze(high)),
        }
    )
json.dump({"made_by": "ppi_python.py with ppi-python 0.2.3", "cases": cases}, sys.stdout)
