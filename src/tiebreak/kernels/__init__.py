"""NumPy and SciPy only: arrays in, arrays out. No frames, no names, no files."""
