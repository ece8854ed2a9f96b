#!/usr/bin/env bash
# Installs Surefoot 0.1.0 where the database's runner looks for executables. SUREFOOT_SOURCE is a checkout of the project, or
# the address of one that git can clone.
set -euo pipefail

version=0.1.0
source=${SUREFOOT_SOURCE:?a checkout of the project, or its address}
bin=${SOLVER_BIN_DIR:?the folder for executables}

if [ ! -d "$source" ]; then
    git clone --quiet --depth 1 --branch "v$version" "$source" surefoot
    source=surefoot
fi
command -v cargo >/dev/null || { sudo apt-get update -q && sudo apt-get install -y -q rustup && rustup default stable; }
cargo build --release --locked --quiet --manifest-path "$source/Cargo.toml" --package surefoot-cli --target-dir build
install -m 755 build/release/surefoot "$bin/surefoot"
test "$("$bin/surefoot" --version)" = "$version"
