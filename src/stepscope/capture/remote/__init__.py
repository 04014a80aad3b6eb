"""Profiles of running processes over gRPC: the client, and the service for processes that have none of their own."""
