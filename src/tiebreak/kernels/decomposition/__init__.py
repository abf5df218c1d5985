"""Variance decomposition of model × scaffold × item records: layout, engines, coefficients."""
