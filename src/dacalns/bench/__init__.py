"""Benchmarks: speed against a pure-Python peer, start-up and memory, measured in one run on one machine."""
