#!/bin/sh
# See to the programs that the tests need and that pip can't install: a Chromium for the browser tests,
# node for those of the explorers' scripts, and bubblewrap, in which student code is graded.
set -eu

find_any() {
    for name in "$@"; do
        command -v "$name" && return
    done
    return 1
}

missing() {
    find_any chromium chromium-browser google-chrome >/dev/null || echo chromium
    find_any node >/dev/null || echo nodejs
    find_any bwrap >/dev/null || echo bubblewrap
}

wanted=$(echo $(missing)) # on one line
[ -n "$wanted" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "system packages: installing $wanted ..."
    # A font, so that pages have text; without one Chromium draws boxes.
    { apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted fonts-dejavu-core; } >/dev/null || true
    wanted=$(echo $(missing))
    [ -n "$wanted" ] || exit 0
fi
echo "system packages: the tests need $wanted. Install it (Debian: sudo apt-get install $wanted) and run make test again." >&2
exit 1
