"""How much of crisp rules comes back with other seeds and on other rows."""
