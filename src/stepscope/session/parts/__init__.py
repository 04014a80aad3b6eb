"""The parts of the analysis of a session, one file each: what may be asked, what is answered, and how it is made."""
