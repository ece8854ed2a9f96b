"""The command line: ``surefoot``, or ``python -m surefoot``. The same program as the one that cargo builds."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> None:
    """Carries out the command line of this process."""
    # Interruptions are the program's own, from the first one on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.main(["surefoot", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
