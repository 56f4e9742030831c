"""Examples run as newcomers run them."""
