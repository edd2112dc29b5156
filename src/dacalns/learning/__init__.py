"""Training: policies that are learned on many small instances, and then used frozen on larger ones."""
