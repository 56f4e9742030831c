# Not "numbers": Python has a module of that name, and tests/experiments comes before it.
