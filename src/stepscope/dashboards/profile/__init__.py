"""The Profile tab: where the time of a step goes."""
