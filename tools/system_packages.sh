#!/bin/sh
# See to the programs that the tests need and that pip can't install: a Chromium for the browser tests.
set -eu

find_browser() {
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" && return
    done
    return 1
}

find_browser >/dev/null && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "system packages: installing chromium ..."
    # A font, so that pages have text; without one Chromium draws boxes.
    { apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null || true
    find_browser >/dev/null && exit 0
fi
echo "system packages: the tests need chromium. Install it (Debian: sudo apt-get install chromium) and run make test again." >&2
exit 1
