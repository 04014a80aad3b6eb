"""`python -m stepscope`: the command line, for where the `stepscope` program is not on the path."""

from stepscope.cli import main

main()
