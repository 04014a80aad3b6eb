"""The analysed session: one answer to each question about a profile, for the page, the terminal, files and scripts alike."""
