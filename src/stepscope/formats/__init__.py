"""On-disk formats, one folder each: what names it goes by, how its bytes are recognised, and how it is read into columns."""
