"""Profiles as people have them and no sample has: small drawn files, each with the truth that it was drawn with."""
