"""The Markdown pages whose examples are run: README.md and everything under docs/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def markdown_pages() -> list[Path]:
    """README.md, if it exists, and each page of docs/ that is not generated."""
    pages = [
        page
        for page in sorted(DOCS.rglob("*.md"))
        if not any(part.startswith("_") for part in page.relative_to(DOCS).parts)
    ]
    readme = ROOT / "README.md"
    return [readme, *pages] if readme.exists() else pages


def name(page: Path) -> str:
    """The page's path inside the repository, for test ids and messages."""
    return page.relative_to(ROOT).as_posix()
