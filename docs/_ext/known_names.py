"""Names in annotations are read as their own module reads them.

Several modules may have a class of one name. Where an annotation says ``Context`` and nothing else,
Sphinx would look for that name everywhere, and find two; here the module that says it is asked.
"""

from importlib import import_module

from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform


class KnownNames(SphinxPostTransform):
    """Make references to classes complete, before they are resolved."""

    default_priority = 5  # references are resolved at 10

    def run(self) -> None:
        documented = self.env.get_domain("py").objects
        for node in self.document.findall(pending_xref):
            name, module = node.get("reftarget", ""), node.get("py:module")
            if node.get("refdomain") != "py" or not module or not name.isidentifier():
                continue
            found = getattr(import_module(module), name, None)
            full = f"{getattr(found, '__module__', None)}.{name}"
            if full in documented:
                node["reftarget"] = full


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_post_transform(KnownNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
