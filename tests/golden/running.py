"""Scenes of the golden corpus: run one, and keep of what came out what may not change.

A scene is a list of lines that run one after another in a new folder, which holds a copy of
docs/examples/ and of tests/golden/files/, and the made-up hospital if a line names ``hospital/``:

* ``twoworlds ...``: a command, with ``--json`` where it takes it. ``serve`` without ``--port``
  starts a service, which later lines know as ``$URL`` and ``$TOKEN``, until the scene ends.
* ``ann POST v1/plan {...}``: a request to that service. ``ann`` has its one-time token, ``anybody``
  has none, and others have the token that an earlier ``account add`` gave them.
* ``rm FILE``, and ``gallery NAME``: the JSON of an answer in tests/show/gallery.py, or
  the words of its card if it has no JSON.

Paths, versions, ports, hashes and today's date are replaced, floats have 12 digits, and a long text
or list is its beginning and a digest. What is drawn is found by running a scene several times.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.docs.pages import DOCS
from twoworlds import __version__

FILES = Path(__file__).parent / "files"
# Names of the gallery that are frozen, and what the gallery calls them now.
RENAMED: dict[str, str] = {"release.dry_run.DryRun": "release.forms.DryRun"}
# Words of lines that draw noise: such a scene is run several times to see what is drawn.
NOISY = ("release", "randomize", "ledger", "strategy", "account", "--engine", "gallery")
NOISY += ("serve", "v1/release")
RUNS = 4
SECONDS = 300  # ends what hangs
LONGEST_TEXT, LONGEST_LIST, KEPT = 300, 24, 8
DRAWN = "<drawn>"
FOLLOWING = "/utility"  # of a drawn answer, and seldom another
HASH = re.compile(r"\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{12,64}\b")
PORT = re.compile(r"(127\.0\.0\.1|localhost):\d+")
EXACT = re.compile(
    r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?(/\d+)?|[-+]?inf|e|(ln|log|e\^|exp|sqrt)\W?.{1,80}|#.*"
)
VERDICTS = {"holds", "refuted", "undecided", "proved", "unknown", "yes", "no"}


Scene = dict[str, Any]


# --- running ------------------------------------------------------------------------------------


def run_scene(lines: list[str]) -> dict[str, Any]:
    """Run the lines in a new folder; return what each gave, and the files that are left."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(SECONDS)
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as ending:
        folder = Path(name).resolve()
        os.chdir(folder)
        ending.callback(os.chdir, "/")
        for source in (DOCS / "examples", FILES):
            shutil.copytree(source, folder, dirs_exist_ok=True)
        if any("hospital/" in line for line in lines):
            from twoworlds.release.examples import lay_out

            lay_out(folder / "hospital")
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        scene = _Scene(folder, ending)
        steps = [{"$": line} | scene.tried(line) for line in lines]
        found = {"steps": steps}
        if not any(line.startswith("gallery ") for line in lines):
            new = (p for p in sorted(folder.rglob("*")) if before.get(p) != p.stat().st_mtime_ns)
            found["files"] = {
                p.relative_to(folder).as_posix(): _read(p) for p in new if p.is_file()
            }
        found = _normalised(found, folder)
        found["steps"] = [{**s, "$": line} for s, line in zip(found["steps"], lines, strict=True)]
        return found


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"a scene took longer than {SECONDS} seconds")


class _Scene:
    """What later lines of a scene know of earlier ones."""

    def __init__(self, folder: Path, ending: contextlib.ExitStack) -> None:
        self.folder, self.ending = folder, ending
        self.service: Any = None
        self.tokens: dict[str, str] = {}
        self.makers: Any = None

    def tried(self, line: str) -> dict[str, Any]:
        try:
            return self.run(line)
        except Exception as error:  # of this program, or of the gallery: never of a command
            return {"exit": f"{type(error).__name__}: {error}"}

    def run(self, line: str) -> dict[str, Any]:
        if line.startswith("gallery "):
            return self._answer(line.removeprefix("gallery "))
        if line.startswith("rm "):
            Path(line.removeprefix("rm ")).unlink()
            return {"exit": 0}
        words = shlex.split(line) if line.startswith("twoworlds") else line.split(" ", 3)
        if words[:2] == ["twoworlds", "serve"] and "--port" not in words:  # one that fails names it
            return self._serve(words[2:])
        return self._command(words[1:]) if words[0] == "twoworlds" else self._request(*words)

    def _command(self, words: list[str]) -> dict[str, Any]:
        from twoworlds.cli import main

        if self.service is not None:
            known = {"$URL": self.service.address, "$TOKEN": self.service.token}
            words = [known.get(word, word) for word in words]
        plain = not words or words[0].startswith("-") or {"--help", "--json"} & {*words}
        out, complaints, code = io.StringIO(), io.StringIO(), 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaints):
            try:
                main(words if plain else [*words, "--json"])
            except SystemExit as leaving:
                code = leaving.code or 0
        found: dict[str, Any] = {"exit": code} | _said(out.getvalue())
        if words[:2] == ["account", "add"] and code == 0:
            self.tokens[words[2]] = found["json"]["token"]
        first = complaints.getvalue().strip().partition("\n")[0]
        return found | ({"stderr": first} if first else {})

    def _serve(self, options: list[str]) -> dict[str, Any]:
        from tests.web.serving import Running, wait_until_ready

        (self.folder / "service").mkdir(exist_ok=True)
        self.service = Running(self.folder / "service", *options)
        self.ending.callback(self.service.stop)
        wait_until_ready(self.service)
        return {"exit": 0, "json": self.service.said}

    def _request(self, who: str, method: str, path: str, body: str = "") -> dict[str, Any]:
        token = None if who == "anybody" else self.tokens.get(who, self.service.token)
        with self.service.client(token) as client:
            sent = {"content": body.encode()} if body else {}
            kind = {"Content-Type": "application/json"} if body else {}
            answer = client.request(method, f"/api/{path}", headers=kind, **sent)
        return {"exit": answer.status_code} | _said(answer.text)

    def _answer(self, name: str) -> dict[str, Any]:
        from tests.show import gallery

        if name in gallery.EXAMPLES:
            found = gallery.example(gallery.answers()[name], gallery.EXAMPLES[name])
        else:
            self.makers = self.makers or gallery.built(self.folder / "hospital")
            found = self.makers[name]()
        if hasattr(found, "to_dict"):
            return {"exit": 0, "json": json.loads(json.dumps(found.to_dict()))}
        words = re.sub(r"(\s*<[^>]*>)+", "\n", found._repr_html_())
        return {"exit": 0, "text": words.strip().split("\n")}


def _said(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        return {"json": json.loads(text)}
    except ValueError:
        return {"text": text.rstrip().split("\n")}


def _read(path: Path) -> Any:
    """What a file holds, if it is data; of pages, pictures and databases only that they exist."""
    if path.suffix not in {".json", ".csv", ".yml", ".jsonl"}:
        return path.suffix
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else text.splitlines()


# --- freezing ------------------------------------------------------------------------------------


def is_noisy(lines: list[str]) -> bool:
    """Whether a run of these lines may differ from the next."""
    return any(
        word in NOISY for line in lines for word in line.split()[:3] + line.split(" --")[:0]
    ) or any("--engine" in line for line in lines)


def frozen(lines: list[str]) -> Scene:
    """Run a scene several times; return it as it is frozen, with the paths of what is drawn."""
    results = [run_scene(lines) for _ in range(RUNS if is_noisy(lines) else 2)]
    paths = drawn(results)
    if paths and len(results) < RUNS:
        results += [run_scene(lines) for _ in range(RUNS)]
        paths = drawn(results)
    return _kept(results[0], paths) | {"drawn": sorted(paths)}


def again(scene: Scene) -> tuple[Scene, Scene]:
    """Run a frozen scene again; return it and the new one, both without what is drawn.

    If they differ, what is drawn is looked for in the new shape.
    """
    lines = [_renamed(step["$"]) for step in scene["steps"]]
    results, paths = [run_scene(lines)], set(scene.pop("drawn"))
    if scene != _kept(results[0], paths) and (paths or is_noisy(lines)):
        results += [run_scene(lines) for _ in range(RUNS - 1)]
        paths |= drawn(results)
    return masked(scene, paths), _kept(results[0], paths)


def _renamed(line: str) -> str:
    kind, _, name = line.partition(" ")
    return f"gallery {RENAMED.get(name, name)}" if kind == "gallery" else line


def _kept(result: Scene, paths: set[str]) -> Scene:
    found = masked(result, paths)
    steps = {"steps": [compact(step) | {"$": step["$"]} for step in found["steps"]]}
    return steps | ({"files": compact(found["files"])} if found.get("files") else {})


# --- what may not change ------------------------------------------------------------------------


def _normalised(value: Any, folder: Path) -> Any:
    today = datetime.datetime.now(datetime.UTC).date()
    near = [str(today + datetime.timedelta(days)) for days in (-1, 0, 1)]
    date = re.compile(
        "(" + "|".join(near) + r")([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[-+]\d\d:?\d\d)?)?"
    )

    def walk(one: Any) -> Any:
        if isinstance(one, dict):
            return {walk(key): walk(inner) for key, inner in one.items()}
        if isinstance(one, list):
            return [walk(inner) for inner in one]
        if isinstance(one, float):
            return float(f"{one:.12g}")
        if isinstance(one, str):
            one = one.replace(str(folder), "<folder>").replace(__version__, "<version>")
            return PORT.sub(r"\1:<port>", HASH.sub("<hash>", date.sub("<date>", one)))
        return one

    return walk(value)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Run through the leaves, each with the keys that lead to it; places in lists are a star."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}/{key}")
    elif isinstance(value, list) and value:
        for at, inner in enumerate(value):
            yield from leaves(inner, f"{path}/{at if path == '/steps' else '*'}")
    else:
        yield path, value


def drawn(results: list[dict[str, Any]]) -> set[str]:
    """Return the paths whose leaves differ between runs of one scene."""
    found = []
    for result in results:
        at: dict[str, list[Any]] = {}
        for path, leaf in leaves(result):
            at.setdefault(path, []).append(leaf)
        found.append(at)
    paths = {path for at in found for path in at}
    return {
        path
        for path in paths
        if path.endswith(FOLLOWING) or any(at.get(path) != found[0].get(path) for at in found)
    }


def masked(value: Any, paths: Iterable[str], path: str = "") -> Any:
    """Replace what was drawn; a list of nothing else has one element, however many were drawn."""
    if path in paths or not isinstance(value, (dict, list)):
        return DRAWN if path in paths else value
    if isinstance(value, dict):
        return {key: masked(inner, paths, f"{path}/{key}") for key, inner in value.items()}
    inner = [
        masked(one, paths, f"{path}/{at if path == '/steps' else '*'}")
        for at, one in enumerate(value)
    ]
    same = (
        path != "/steps"
        and inner
        and DRAWN in str(inner[0])
        and all(one == inner[0] for one in inner)
    )
    return inner[:1] if same else inner


def compact(value: Any) -> Any:
    """Shorten long texts and lists to their beginning and digests, of numbers and of all."""
    if isinstance(value, dict):
        return {key: compact(inner) for key, inner in value.items()}
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        mark = "#" if EXACT.fullmatch(value) else ""
        return f"{mark}{value[:60]}… {len(value)} characters {_digest(value)}"
    if not isinstance(value, list):
        return value
    if len(value) <= LONGEST_LIST:
        return [compact(inner) for inner in value]
    rest = {"items": len(value), "numbers": f"#{_digest(sorted(numbers(value)))}"}
    return [*(compact(inner) for inner in value[:KEPT]), {"…": rest | {"all": _digest(value)}}]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def numbers(value: Any) -> list[str]:
    """Return numbers, exact numbers in texts, and yes or no, as texts, in any order."""
    return [
        json.dumps(leaf) if not isinstance(leaf, str) else leaf
        for _, leaf in leaves(value)
        if isinstance(leaf, (bool, int, float))
        or (isinstance(leaf, str) and (EXACT.fullmatch(leaf) or leaf in VERDICTS))
    ]
