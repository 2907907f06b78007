"""Research notes that can be cited."""
