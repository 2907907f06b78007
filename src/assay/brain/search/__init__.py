"""What helps a search: mutations, settings, fingerprints, results, filters, the submission planner."""
