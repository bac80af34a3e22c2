"""`logdepth` and `python -m logdepth`: the program of the command line, which lies beside this file."""

import os
import pathlib
import sys
import typing


def main() -> typing.NoReturn:
    """Replace this process by the program, with the same arguments."""
    program = pathlib.Path(__file__).parent / "bin" / "logdepth"
    sys.stdout.flush()
    os.execv(program, ["logdepth", *sys.argv[1:]])


if __name__ == "__main__":
    main()
