"""Generators that know their own truth: the bundled example and the checks of the verdicts."""
