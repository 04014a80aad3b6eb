"""Where bytes live: local folders now, object stores later."""
