"""The platform client: asynchronous, typed."""
