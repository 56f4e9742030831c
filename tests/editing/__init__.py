"""Rules changed by hand."""
