"""The paper's validation, done again: every figure, table and claim."""
