"""The paper's validation, reproduced: every figure, table and claim."""
