#!/bin/sh
# Runs the tests as other machines would: sh tests/anywhere/run.sh [options of pytest]

python=${PYTHON:-.venv/bin/python}
here=$(cd "$(dirname "$0")" && pwd)
features=$("$python" -c 'from numpy._core._multiarray_umath import __cpu_dispatch__ as all_; print(*all_, sep=",")')
failed=

vary() {  # what it is, settings of the environment ..., --, options of pytest
    what=$1 settings=
    shift
    while [ "$1" != -- ]; do settings="$settings $1"; shift; done
    shift
    printf '\n== %s:%s\n' "$what" "$settings"
    env $settings "$python" -m pytest -q -n auto "$@" || failed="$failed; $what"
}

vary "an old processor, one thread, no locale, a narrow terminal" \
    NPY_DISABLE_CPU_FEATURES="$features" OPENBLAS_CORETYPE=Nehalem \
    OMP_NUM_THREADS=1 LC_ALL=C TZ=Pacific/Kiritimati COLUMNS=60 NO_COLOR=1 \
    TERM=dumb PYTHONHASHSEED=1 -- "$@"

vary "another libm, a wide terminal in colours" \
    PYTHONPATH="$here" OPENBLAS_CORETYPE=Haswell TZ=Pacific/Pago_Pago COLUMNS=200 FORCE_COLOR=1 \
    TERM=xterm-256color PYTHONHASHSEED=2 -- "$@"

busy=
trap 'kill $busy 2>/dev/null' EXIT
for _ in 1 2 3 4 5 6 7 8; do
    "$python" -c 'while True: pass' &
    busy="$busy $!"
done
vary "eight others at work" PYTHONHASHSEED=3 -- "$@"

[ -z "$failed" ] || { echo "failed under:${failed#;}"; exit 1; }
