"""The vocabulary all parts share: identifiers, kinds and errors. Imports nothing of ours."""
