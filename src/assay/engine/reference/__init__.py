"""The second engine: slow, obvious, and written from the definitions of the ops alone.

It exists to be right where the fast engine is quick. It shares no code with it, so an error must be made
twice, in two ways, to go unseen by the tests that compare them.
"""

from assay.engine.reference._evaluate import apply, evaluate

__all__ = ["apply", "evaluate"]
