"""Studies: protocols, resumable runs, statistics and reports."""
