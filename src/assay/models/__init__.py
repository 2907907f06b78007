"""Walk-forward models on features, and the one shape of an evaluation."""
