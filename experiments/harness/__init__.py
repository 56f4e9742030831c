"""What all experiments share: tasks, results that are kept, folds, processes, progress."""
