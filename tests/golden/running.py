"""Scenes of the golden corpus: run one, and keep of what came out what may not change.

A scene is a list of lines that run one after another in a new folder, which holds a copy of
docs/examples/ and of tests/golden/files/, and the made-up hospital if a line names ``hospital/``:

* ``twoworlds ...``: a command, with ``--json`` where it takes it. ``serve`` without ``--port``
  starts a service, which later lines know as ``$URL`` and ``$TOKEN``, until the scene ends.
* ``ann POST v1/plan {...}``: a request to that service. ``ann`` has its one-time token, ``anybody``
  has none, and others have the token that an earlier ``account add`` gave them.
* ``rm FILE``, and ``gallery NAME``: the JSON of an answer in tests/show/gallery.py.

Paths, versions, ports, hashes and today's date are replaced, floats have 12 digits, and a long text
or list is its beginning and a digest. What is drawn is found by running a scene several times.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import io
import json
import re
import shlex
import shutil
import signal
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.docs.pages import DOCS
from twoworlds import __version__

# Words of lines that draw noise: such a scene is run several times to see what is drawn.
NOISY = ("release", "randomize", "ledger", "strategy", "account", "gallery", "serve", "v1/release")
RUNS = 4
SECONDS = 300  # ends what hangs
LONGEST_TEXT, LONGEST_LIST, KEPT = 300, 24, 8
DRAWN = "<drawn>"
TIME = r"([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[-+]\d\d:?\d\d)?)?"
HASH = r"(?:(?<!\.)\b|(?<=\\n))(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{12,64}\b"
PORT = r"(127\.0\.0\.1|localhost):\d+"
EXACT = re.compile(
    r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?(/\d+)?|[-+]?inf|e|(ln|log|e\^|exp|sqrt)\W?.{1,80}|#.*"
)
VERDICTS = {"holds", "refuted", "undecided", "proved", "unknown", "yes", "no"}

Scene = dict[str, Any]


# --- running ------------------------------------------------------------------------------------


def run_scene(lines: list[str]) -> Scene:
    """Run the lines in a new folder; return what each gave, and the files that are left."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    with contextlib.ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory())).resolve()
        ending.enter_context(contextlib.chdir(folder))
        for source in (DOCS / "examples", Path(__file__).parent / "files"):
            shutil.copytree(source, folder, dirs_exist_ok=True)
        if any("hospital/" in line for line in lines):
            from twoworlds.release.examples import lay_out

            lay_out(folder / "hospital")
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        service = Service(folder, ending)
        steps = [service.step(line) for line in lines]
        new = (path for path in sorted(folder.rglob("*")) if path.is_file())
        files = {
            path.relative_to(folder).as_posix(): _data(path)
            for path in new
            if before.get(path) != path.stat().st_mtime_ns
        }
        found = _normalised({"steps": steps, "files": files}, folder)
        found["steps"] = [{**s, "$": line} for s, line in zip(found["steps"], lines, strict=True)]
        return found if not lines[0].startswith("gallery ") else {"steps": found["steps"]}


class Service:
    """Runs lines, and knows of earlier ones the service and its tokens."""

    def __init__(self, folder: Path, ending: contextlib.ExitStack) -> None:
        self.folder, self.ending = folder, ending
        self.running: Any = None
        self.tokens: dict[str, str | None] = {"anybody": None}

    def step(self, line: str) -> dict[str, Any]:
        words = shlex.split(line) if line.startswith("twoworlds") else line.split(" ", 3)
        try:
            match words:
                case ["gallery", *_]:
                    made = gallery()[line.removeprefix("gallery ")](self.folder / "hospital")
                    return {"exit": 0, "json": json.loads(json.dumps(made.to_dict()))}
                case ["rm", name]:
                    Path(name).unlink()
                    return {"exit": 0}
                case ["twoworlds", "serve", *options] if "--port" not in options:
                    return self.start(options)
                case ["twoworlds", *arguments]:
                    return self.command(arguments)
            return self.request(*words)
        except Exception as error:  # of this program, or of the gallery: never of a command
            return {"exit": f"{type(error).__name__}: {error}"}

    def start(self, options: list[str]) -> dict[str, Any]:
        from tests.web.serving import Running, wait_until_ready

        (self.folder / "service").mkdir(exist_ok=True)
        self.running = Running(self.folder / "service", *options)
        self.ending.callback(self.running.stop)
        wait_until_ready(self.running)
        return {"exit": 0, "json": self.running.said}

    def command(self, words: list[str]) -> dict[str, Any]:
        from twoworlds.cli import run

        if self.running is not None:
            known = {"$URL": self.running.address, "$TOKEN": self.running.token}
            words = [known.get(word, word) for word in words]
        plain = not words or words[0].startswith("-") or {"--help", "--json"} & {*words}
        out, complaints = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaints):
            code = run(words if plain else [*words, "--json"])
        found = {"exit": code} | _said(out.getvalue())
        if words[:2] == ["account", "add"] and code == 0:
            self.tokens[words[2]] = found["json"]["token"]
        first = complaints.getvalue().strip().partition("\n")[0]
        return found | ({"stderr": first} if first else {})

    def request(self, who: str, method: str, path: str, body: str = "") -> dict[str, Any]:
        sent = {"content": body.encode(), "headers": {"Content-Type": "application/json"}}
        with self.running.client(self.tokens.get(who, self.running.token)) as client:
            answer = client.request(method, f"/api/{path}", **(sent if body else {}))
        return {"exit": answer.status_code} | _said(answer.text)


@functools.cache
def gallery() -> dict[str, Callable[[Path], Any]]:
    """Return how to make each answer of the gallery, by the name of its class."""
    from tests.show.gallery import EXAMPLES, answers, built, example

    kinds = {n: k for n, k in answers().items() if k.__name__ not in ABSTRACT}
    others = functools.cache(built)
    made = {n: lambda _, n=n: example(kinds[n], EXAMPLES[n]) for n in EXAMPLES}
    made |= {n: lambda folder, n=n: others(folder)[n]() for n in {*kinds} - {*made}}
    short = defaultdict(list)
    for name in sorted(made):
        short[name.rpartition(".")[2]].append(name)
    return {
        key if len(names) == 1 else name: made[name]
        for key, names in short.items()
        for name in names
    }


ABSTRACT = {"_Shown", "Curve", "OfSimulator", "Result", "Told"}


def _said(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        return {"json": json.loads(text)}
    except ValueError:
        return {"text": text.rstrip().split("\n")}


def _data(path: Path) -> Any:
    """What a file holds, if it is data; of pages, pictures and databases only that they exist."""
    if path.suffix not in {".json", ".csv", ".yml", ".jsonl"}:
        return path.suffix
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else text.splitlines()


# --- freezing ------------------------------------------------------------------------------------


def frozen(lines: list[str]) -> Scene:
    """Run a scene several times; return it as it is frozen, with the paths of what is drawn."""
    results = [run_scene(lines) for _ in range(RUNS if _is_noisy(lines) else 2)]
    if drawn(results) and len(results) < RUNS:
        results += [run_scene(lines) for _ in range(RUNS)]
    paths = drawn(results)
    return _kept(results[0], paths) | {"drawn": sorted(paths)}


def again(scene: Scene) -> tuple[Scene, Scene]:
    """Run a frozen scene again; return it and the new one, both without what is drawn.

    If they differ, what is drawn is looked for in the new shape.
    """
    lines = [step["$"] for step in scene["steps"]]
    results, paths = [run_scene(lines)], set(scene.pop("drawn"))
    if scene != _kept(results[0], paths) and (paths or _is_noisy(lines)):
        results += [run_scene(lines) for _ in range(RUNS - 1)]
        paths |= drawn(results)
    return masked(scene, paths), _kept(results[0], paths)


def _is_noisy(lines: list[str]) -> bool:
    return any("--engine" in line or {*line.split()[:3]} & {*NOISY} for line in lines)


def _kept(result: Scene, paths: set[str]) -> Scene:
    found = masked(result, paths)
    steps = {"steps": [compact(step) | {"$": step["$"]} for step in found["steps"]]}
    return steps | ({"files": compact(found["files"])} if found.get("files") else {})


# --- what may not change ------------------------------------------------------------------------


def _normalised(found: Scene, folder: Path) -> Scene:
    """Replace, in all texts at once, what differs between machines and days."""
    today = datetime.datetime.now(datetime.UTC).date()
    near = "|".join(str(today + datetime.timedelta(days)) for days in (-1, 0, 1))
    text = (
        json.dumps(found, ensure_ascii=False)
        .replace(str(folder), "<folder>")
        .replace(__version__, "<version>")
    )
    for pattern, new in {rf"({near}){TIME}": "<date>", HASH: "<hash>", PORT: r"\1:<port>"}.items():
        text = re.sub(pattern, new, text)
    return json.loads(text, parse_float=lambda digits: float(f"{float(digits):.12g}"))


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


def drawn(results: list[Scene]) -> set[str]:
    """Return the paths whose leaves differ between runs of one scene, and what follows them."""
    found = []
    for result in results:
        at: dict[str, list[Any]] = defaultdict(list)
        for path, leaf in leaves(result):
            at[path].append(leaf)
        found.append(at)
    paths = {path for at in found for path in at}
    differ = {path for path in paths if any(at.get(path) != found[0].get(path) for at in found)}
    return differ | {path for path in paths if path.endswith("/utility")}  # which seldom differs


def masked(value: Any, paths: Iterable[str], path: str = "") -> Any:
    """Replace what was drawn; a list of nothing else has one element, however many were drawn."""
    if path in paths or not isinstance(value, (dict, list)):
        return DRAWN if path in paths else value
    if isinstance(value, dict):
        return {key: masked(inner, paths, f"{path}/{key}") for key, inner in value.items()}
    if path == "/steps":
        return [masked(one, paths, f"{path}/{at}") for at, one in enumerate(value)]
    inner = [masked(one, paths, f"{path}/*") for one in value]
    alike = inner and DRAWN in str(inner[0]) and all(one == inner[0] for one in inner)
    return inner[:1] if alike else inner


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
