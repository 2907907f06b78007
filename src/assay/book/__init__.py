"""Decisions, orders, fills and marks of strategies, and what each cited note earned."""
