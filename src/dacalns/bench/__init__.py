"""Benchmarks measure speed, start-up and memory on one machine, and compare solution quality with other solvers."""
