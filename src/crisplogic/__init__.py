"""Fuzzy networks that snap to crisp logic."""
