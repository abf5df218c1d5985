"""Published papers, run again: every figure beside ours, with the reason where they differ."""
