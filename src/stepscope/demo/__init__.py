"""The demo: a small convolutional network in NumPy that learns to recognise synthesised tones, logged as a user would log it."""
