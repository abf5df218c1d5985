"""Frozen results, one module per question; each states what it estimates, from what, and how."""
