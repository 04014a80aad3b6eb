"""Logged sound: every sample at every step, with its waveform and spectrogram."""
