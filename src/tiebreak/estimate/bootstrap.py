"""Percentile bootstrap: tasks within cells and then runs, or whole cells; counts × outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Index, Sample, contrast
from tiebreak.estimate.matched import unit_values
from tiebreak.estimate.run_draws import run_draws
from tiebreak.kernels.moments import BLOCK, CACHED, blocks
from tiebreak.kernels.multiplicity import upper_quantile
from tiebreak.kernels.resampling import (
    difference_sd,
    differences,
    quantile_pair,
    task_counts,
    uniform_counts,
)
from tiebreak.progress import track

Pieces = Callable[[], Iterator[tuple[slice, Array]]]
"""Walks the draws of a contrast in blocks: (slice of units, draws (units, draws))."""


@dataclass(frozen=True, eq=False)
class BootstrapFit:
    """Draws of a contrast of every unit, made anew in blocks whenever they are walked.

    ``mute`` marks units in which nothing can be drawn (one task in every cell, or one cell where
    cells are sampled): that is no certainty, so their interval is the whole scale, ``limits``.
    ``differences``: draws of scores and the rows (left, right) whose differences the units are.
    """

    estimate: Array
    pieces: Pieces
    mute: NDArray[np.bool_]
    limits: tuple[float, float]
    differences: tuple[Array, Index, Index] | None = None
    df: None = None

    @cached_property
    def se(self) -> Array:
        """Standard deviation of the draws."""
        if self.differences is not None:
            se = difference_sd(*self.differences)
        else:
            se = np.empty_like(self.estimate)
            for part, draws in self.pieces():
                se[part] = draws.std(axis=1, ddof=1)
        return np.where(np.isnan(self.estimate), np.nan, se)

    def interval(self, alpha: Array) -> Bounds:
        """Equal-tailed percentile bounds with their Monte Carlo errors."""
        out = np.empty((4, self.estimate.size))
        for part, draws in self.pieces():
            out[:, part] = quantile_pair(draws, alpha[part])
        out[:2][np.abs(out[:2]) < 1e-12] = 0.0  # a lattice point at 0 is 0, not rounding dust
        return self._open(Bounds(*out))

    def p_values(self) -> Array:
        """Twice the smaller share of draws on either side of 0, one added to each count."""
        p = np.full_like(self.estimate, np.nan)
        for part, draws in self.pieces():
            below, above = (draws <= 1e-12).sum(axis=1), (draws >= -1e-12).sum(axis=1)
            p[part] = np.minimum(1.0, 2 * (1 + np.minimum(below, above)) / (draws.shape[1] + 1))
        return np.where(np.isnan(self.estimate), np.nan, np.where(self.mute, 1.0, p))

    def simultaneous(self, alpha: float, *, studentized: bool) -> Bounds:
        """Estimate ± q·scale with q the 1 − α quantile of max |Δ* − Δ|/scale over the units."""
        scale = self.se if studentized else np.where(np.isnan(self.se), np.nan, 1.0)
        top = np.zeros(1)
        for part, draws in self.pieces():
            known = scale[part] > 0
            deviations = draws if known.all() else draws[known]
            deviations -= self.estimate[part][known, None]
            np.abs(deviations, out=deviations)
            deviations /= scale[part][known, None]
            top = np.maximum(top, deviations.max(axis=0, initial=0.0))
        q, error = upper_quantile(top, 1 - alpha)
        half, unsure = q * scale, error * scale
        return self._open(Bounds(self.estimate - half, self.estimate + half, unsure, unsure))

    def _open(self, bounds: Bounds) -> Bounds:
        """The whole scale for mute units, and nothing for unknown ones."""
        ends = (*self.limits, 0.0, 0.0)
        opened = (np.where(self.mute, end, b) for b, end in zip(bounds, ends, strict=True))
        return Bounds(*(np.where(np.isnan(self.estimate), np.nan, b) for b in opened))


class BootstrapEngine:
    """Percentile bootstrap bound to a sample; one set of draws serves all contrasts."""

    def __init__(self, sample: Sample, design: Design) -> None:
        rng = np.random.default_rng(design.seed)
        self._sample = sample
        self._by_cell = design.sampled == "cells"
        self._counts = (
            uniform_counts(sample.n_cells, design.draws, rng)
            if self._by_cell
            else task_counts(sample.cells, sample.n_cells, design.draws, rng)
        )
        self._runs = None if self._by_cell else run_draws(sample, design.draws, rng)

    def fit(self, weights: Array, minus: Array | None = None) -> BootstrapFit:
        """Draws of the contrast, or of its movement away from ``minus``."""
        combined = weights if minus is None else weights - minus
        if self._by_cell:
            return self._fit(combined, self._walk(self._cell_draws(weights, minus)))
        if not self._sample.complete or not (combined == combined[:1]).all():
            make = self._matched
            return self._fit(combined, self._walk(lambda part: make(part, combined[part])))
        return self._shared(combined)

    def _fit(
        self, weights: Array, pieces: Pieces, pair: tuple[Array, Index, Index] | None = None
    ) -> BootstrapFit:
        s = self._sample
        used = weights != 0
        mute = used.sum(axis=1) < 2 if self._by_cell else ~(used & (s.moments.n > 1)).any(axis=1)
        return BootstrapFit(contrast(s.moments, weights), pieces, mute, s.limits, pair)

    def _walk(self, make: Callable[[slice], Array], limit: int = BLOCK) -> Pieces:
        def pieces() -> Iterator[tuple[slice, Array]]:
            parts = list(blocks(self._sample.left.size, self._counts.shape[1], limit))
            for part in track(parts, len(parts), "bootstrap"):
                yield part, make(part)

        return pieces

    def _shared(self, weights: Array) -> BootstrapFit:
        """Everybody has every task: one product draws all scores, pairs are their differences."""
        s = self._sample
        per_task = (weights[0] / np.bincount(s.cells, minlength=s.n_cells).clip(1))[s.cells]
        scores = (s.values * per_task) @ self._counts
        if self._runs is not None:
            scores += self._runs.scores(np.arange(len(scores)), per_task[None], self._counts)
        left, right = s.left, s.right
        if right is None:
            return self._fit(weights, self._walk(lambda part: scores[left[part]], CACHED))

        def make(part: slice) -> Array:
            return differences(scores, left[part], right[part])

        return self._fit(weights, self._walk(make, CACHED), (scores, left, right))

    def _matched(self, part: slice, weights: Array) -> Array:
        """Each unit on its own matched tasks; a cell that a draw misses keeps its mean."""
        values, cells = unit_values(self._sample, part), self._sample.cells
        present, filled = (~np.isnan(values)).astype(float), np.nan_to_num(values)
        total = np.zeros((values.shape[0], self._counts.shape[1]))
        for cell in np.unique(cells):
            at = cells == cell
            n = present[:, at] @ self._counts[at]
            own = np.nan_to_num(self._sample.moments.mean[part, cell])
            mean = np.repeat(own[:, None], n.shape[1], axis=1)
            np.divide(filled[:, at] @ self._counts[at], n, out=mean, where=n > 0)
            total += np.where(weights[:, cell] == 0, 0.0, weights[:, cell])[:, None] * mean
        if self._runs is not None:
            each = np.nan_to_num(weights) / np.maximum(self._sample.moments.n[part], 1)
            total += self._runs.units(self._sample, part, present * each[:, cells], self._counts)
        return total

    def _cell_draws(self, weights: Array, minus: Array | None) -> Callable[[slice], Array]:
        """Draws with whole cells resampled: the weights follow the drawn cells."""

        def make(part: slice) -> Array:
            draws = self._ratio(weights[part], part)
            return draws if minus is None else draws - self._ratio(minus[part], part)

        return make

    def _ratio(self, weights: Array, part: slice) -> Array:
        """Σ c_g w_g mean_g / Σ c_g w_g for the drawn counts c of cells."""
        total = weights @ self._counts
        top = (weights * np.nan_to_num(self._sample.moments.mean[part])) @ self._counts
        return np.divide(top, total, out=np.zeros_like(top), where=total > 0)
