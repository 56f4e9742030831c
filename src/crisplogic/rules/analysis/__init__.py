"""What can be said about rules: evidence, explanations, conflicts, directions, comparisons."""
