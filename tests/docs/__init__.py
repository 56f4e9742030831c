"""The README and the pages of the documentation do what they say."""
