"""The command `isthmus`. Outside the package, whose import takes a second or more that a user may not want to wait."""

import signal
import sys

INTERRUPTED = 130
"""What a shell says of a program that was ended with Ctrl-C."""


def main() -> None:
    """Run the command line; Ctrl-C ends it without a word, even while it is being imported."""
    for name in ("SIGTERM", "SIGHUP"):  # which would end it at once, with files half written
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _end)
    try:
        from isthmus.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (ImportError, MemoryError, SystemError) as error:  # the last, where a library forgot to say that it got none
        sys.exit(f"isthmus: isthmus cannot be loaded: {str(error) or 'there is not enough memory'}.")


def _end(number: int, frame: object) -> None:
    """What has been begun is cleared away, as at any other end."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)
