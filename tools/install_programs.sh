#!/usr/bin/env bash
# Installs the programs that exports and reports are tested with, on Debian and its like, as
# root. `slow` adds those of the slow tests. What is there already is left as it is.
set -euo pipefail

packages=()
need() { # need PROGRAM PACKAGE...
    command -v "$1" >/dev/null || packages+=("${@:2}")
}
need cc gcc libc6-dev
need chromium chromium
need npm nodejs npm
need javac default-jdk-headless
need psql postgresql
need pdflatex texlive-latex-base
if [ "${1:-}" = slow ]; then
    need mariadb mariadb-server mariadb-client
fi
if [ "${#packages[@]}" -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    timeout 120 apt-get update --quiet || true
    DEBIAN_FRONTEND=noninteractive timeout 300 \
        apt-get install --yes --quiet --no-install-recommends "${packages[@]}"
fi
for package in feelin axe-core; do
    if [ ! -d "$(npm root --global)/$package" ]; then
        timeout 60 npm install --global --silent "$package"
    fi
done
