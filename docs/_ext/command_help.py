"""The directive ``command-help``: what ``twoworlds NAME --help`` prints, asked at build time.

The text on the page is the command's own, so it cannot fall behind the program. Without a name, the
help of the program itself is shown.
"""

import os
import subprocess
import sys

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PLAIN = {
    "COLUMNS": "88",
    "TERMINAL_WIDTH": "88",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PYTHONIOENCODING": "utf-8",
    "_TYPER_FORCE_DISABLE_TERMINAL": "1",
}


class CommandHelp(SphinxDirective):
    """Show the help of one command in a literal block."""

    optional_arguments = 2

    def run(self) -> list[nodes.Node]:
        words = ["twoworlds", *self.arguments, "--help"]
        done = subprocess.run(
            [sys.executable, "-m", *words],
            env={**os.environ, **PLAIN},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode != 0:
            raise self.error(f"{' '.join(words)}: {done.stderr.strip()}")
        self.env.note_reread()  # the program may have changed although this page has not
        printed = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
        text = f"$ {' '.join(words)}\n{printed}"
        return [nodes.literal_block(text, text, language="console")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
