"""Templates with slots, and the search that probes and expands them."""
