"""python -m isthmus."""

from isthmus_command import main

main()
