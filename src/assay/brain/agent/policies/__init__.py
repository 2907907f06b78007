"""Who decides in a session: the sampler, a model, or a replay."""
