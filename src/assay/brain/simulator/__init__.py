"""The local simulator: the platform on a stored market."""
