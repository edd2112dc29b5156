"""Readers and commands under damaged input: see the section on `make fuzz` in CONTRIBUTING.md."""
