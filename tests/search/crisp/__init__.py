"""Tests of the search for crisp rules."""
