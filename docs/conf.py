"""Sphinx configuration. The pages are MyST Markdown; nothing in them comes from the network."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "twoworlds"
author = "The twoworlds authors"
copyright = "The twoworlds authors"  # noqa: A001 - the name Sphinx wants
release = metadata.version("twoworlds")

extensions = [
    "breakable_code",
    "command_help",
    "known_names",
    "mathml",
    "myst_parser",
    "plain_docstrings",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "theorem_list",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"twoworlds {release}"
html_static_path = ["_static"]
html_css_files = ["twoworlds.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autoclass_content = "both"
add_module_names = False
autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

nitpicky = True
nitpick_ignore_regex = [
    # Types of packages whose own documentation is not linked: linking needs the network.
    (
        "py:.*",
        r"(abc|builtins|collections|contextlib|datetime|decimal|enum|fractions|os|pathlib|random|typing)\..*",
    ),
    ("py:.*", r"(duckdb|flint|hypothesis|numpy|np|rich|sqlglot|typer|uvicorn)\..*"),
    # Bases that classes share, and that nobody else needs.
    ("py:class", r"twoworlds\.(\w+\.)+_\w+(\.\w+)?"),
    # Names of the standard library, and type variables, as annotations spell them.
    ("py:class", r"[A-Za-z]+"),
    ("py:obj", r"twoworlds\.calls\.T"),
]
