"""The Images part of the Media tab."""
