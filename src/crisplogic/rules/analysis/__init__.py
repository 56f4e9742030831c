"""Analysis of rules: evidence, explanations, conflicts, directions, evaluation, comparison."""
