"""`python -m tiebreak`: the program."""

from tiebreak._program import main

main()
