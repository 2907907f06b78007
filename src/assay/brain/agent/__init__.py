"""The agent: research, then creative and improvement phases in turn, until it converges."""
