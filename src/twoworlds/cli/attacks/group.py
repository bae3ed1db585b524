"""The group of commands that every attack adds itself to."""

from __future__ import annotations

import typer

from twoworlds.cli.app import app

__all__ = ["attack_app"]

attack_app = typer.Typer(
    help="Attack a release, and see what it gives away.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
)
app.add_typer(attack_app, name="attack")
