"""Engines of the variance decomposition by name: their scale, what they are, how they are run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.kernels.decomposition.contract import Components, Scale
from tiebreak.kernels.decomposition.layout import Layout

EngineName = Literal["reml", "ep", "laplace", "bayes", "moments", "disco"]
Prior = Literal["none", "half-t(3, 2.5)", "half-normal(1)"]
PRIORS: Final[tuple[Prior, ...]] = ("half-t(3, 2.5)", "half-normal(1)")
"""Of the standard deviations on the logit scale: the paper's software's, and a tighter one."""
EP_DRAWS = 192


@dataclass(frozen=True, slots=True)
class Asked:
    """How an engine is run: prior of the standard deviations, draws, seed.

    ``ep`` takes at most :data:`EP_DRAWS` draws, each of which costs a fit.
    """

    prior: Prior = "half-t(3, 2.5)"
    draws: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to get components. ``prior``: it takes one; ``about`` is said beside its results."""

    name: EngineName
    scale: Scale
    about: str
    run: Callable[[Layout, tuple[str, ...], Asked], Components]
    prior: bool = False


def _reml(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.kernels.decomposition.reml import fit_reml

    del asked  # nothing is drawn and no prior is taken
    return fit_reml(layout, facets)


def _ep(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.kernels.decomposition.ep import fit_ep

    return fit_ep(layout, facets, asked.prior, min(asked.draws, EP_DRAWS), asked.seed)


def _laplace(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.kernels.decomposition.laplace import fit_laplace

    del asked  # nothing is drawn and no prior is taken
    return fit_laplace(layout, facets)


def _bayes(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.estimate.exact import fit_exact

    return fit_exact(layout, facets, asked.prior, asked.draws, asked.seed).components


ENGINES: Final[Mapping[str, Engine]] = {
    engine.name: engine
    for engine in (
        Engine(
            "reml",
            "probability",
            "restricted maximum likelihood of a linear model of the scores",
            _reml,
        ),
        Engine(
            "ep",
            "logit",
            "expectation propagation of a binomial-logit model",
            _ep,
            prior=True,
        ),
        Engine(
            "laplace",
            "logit",
            "Laplace's approximation, as glmmTMB; its variances of sparse interactions are too low",
            _laplace,
        ),
        Engine(
            "bayes",
            "logit",
            "exact posterior of a binomial-logit model by Pólya-Gamma Gibbs sampling",
            _bayes,
            prior=True,
        ),
    )
}
DEFAULT: Final[tuple[EngineName, ...]] = ("reml", "ep")
