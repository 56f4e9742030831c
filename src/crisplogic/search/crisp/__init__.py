"""Crisp rules: yes/no statements, found by exact search over a finite set of them."""
