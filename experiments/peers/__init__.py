"""Crisp rules of several sizes beside other learners of yes/no rules, at their own sizes."""
