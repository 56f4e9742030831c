"""Logic of more than two literals: generated problems, and tables with one level and more."""
