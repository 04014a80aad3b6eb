"""Named reads over a snapshot of the library. Nothing here changes anything or knows of HTTP."""
