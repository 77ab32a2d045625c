#!/bin/sh
# Set up .venv for one audience: students, instructors or developers.
# A second run sees the stamp and ends at once.
set -eu
cd "$(dirname "$0")/.."
audience=${1:-students}
venv=.venv
python=$venv/bin/python

fail() {
    echo "set-up: $*" >&2
    exit 1
}

suits() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        suits "$PYTHON" && echo "$PYTHON" && return
        fail "PYTHON=$PYTHON is not a Python 3.11, 3.12 or 3.13."
    fi
    for candidate in python3 python3.13 python3.12 python3.11 python; do
        suits "$candidate" && echo "$candidate" && return
    done
    fail "this course needs Python 3.11, 3.12 or 3.13; found $(python3 --version 2>&1 || true)." \
        "Install one of them, or name it: make lab PYTHON=/path/to/python3.11"
}

# Debian and Ubuntu ship Python without ensurepip, which venv needs.
ensure_venv_module() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null && return
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 ||
        fail "Python's venv module is incomplete here. On Debian or Ubuntu: sudo apt-get install $package"
    echo "set-up: installing $package ..."
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package"; } >/dev/null ||
        fail "apt-get could not install $package. Install it and try again."
}

case $audience in
students) extra="." included="students" ;;
instructors) extra=".[instructors]" included="students instructors" ;;
developers) extra=".[developers]" included="students instructors developers" ;;
*) fail "unknown audience '$audience'; choose students, instructors or developers" ;;
esac

# What a finished set-up depends on. The folder counts because a venv holds absolute paths:
# a course that was moved or copied is set up anew.
state="$PWD $(cat pyproject.toml requirements.lock tools/setup.sh | cksum)"
stamp=$venv/$audience.stamp
if [ -x $python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$state" ]; then
    exit 0
fi

# A run that was killed may have left half a package behind that pip takes for a whole one.
if [ -e $venv/unfinished ] || ! suits $python; then
    rm -rf $venv
fi
# Scripts and the course's own package point to the folder where they were installed.
if [ -e "$venv/folder" ] && [ "$(cat $venv/folder)" != "$PWD" ]; then
    rm -rf $venv
fi

if [ ! -x $python ]; then
    base=$(find_python)
    ensure_venv_module "$base"
    echo "set-up: creating $venv with $("$base" --version) ..."
    rm -rf $venv
    "$base" -m venv $venv || fail "could not create $PWD/$venv."
fi
printf '%s\n' "$PWD" >$venv/folder
rm -f $venv/*.stamp

echo "set-up: installing what $audience need (the first time takes some minutes) ..."
: >$venv/unfinished
status=0
$python -m pip install -qq --disable-pip-version-check -c requirements.lock -e "$extra" || status=$?
# After a plain failure (no network, say) nothing is half installed, so what is there can stay.
rm -f $venv/unfinished
[ $status = 0 ] || fail "pip failed (see above). Run the same command again when the cause is gone."

for name in $included; do
    printf '%s\n' "$state" >$venv/$name.stamp
done
echo "set-up: done."
