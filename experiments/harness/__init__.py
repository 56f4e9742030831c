"""What all experiments and benchmarks share."""
