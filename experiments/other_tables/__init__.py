"""Tables with categories and gaps on which nothing was chosen: ours beside other learners."""
