"""``python -m twoworlds``."""

from __future__ import annotations

from twoworlds.cli import main

if __name__ == "__main__":
    main()
