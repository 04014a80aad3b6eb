"""Graphs of models: their scopes, what is seen of them, what their nodes are connected to, and what is odd about them."""
