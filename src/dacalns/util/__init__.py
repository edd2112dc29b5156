"""What every room uses: checks of values, files, names and texts."""
