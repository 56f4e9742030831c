"""What each part of the snapping is worth: defaults with one thing changed at a time."""
