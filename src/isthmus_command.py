"""The command `isthmus`. Outside the package, whose import takes a second or more that a user may not want to wait."""

import sys

INTERRUPTED = 130
"""What a shell says of a program that was ended with Ctrl-C."""


def main() -> None:
    """Run the command line; Ctrl-C ends it without a word, even while it is being imported."""
    try:
        from isthmus.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
