"""Means over all pairs of a board: exact totals, variances, resampling, blocks, enumeration."""
