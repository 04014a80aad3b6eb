"""The Greeting tab."""
