"""The Charts tab: curves of scalars."""
