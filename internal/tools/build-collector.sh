#!/usr/bin/env bash
# Builds a collector with ocb and says now and then that it is still at it: ocb compiles without a word.
#
# usage: build-collector.sh BUILDER MANIFEST
set -euo pipefail

builder=$1
manifest=$2
log=$(mktemp)

(while sleep 15 >/dev/null 2>&1; do
    echo "   ... $SECONDS s, still building"
done) &
ticker=$!
trap 'kill "$ticker" 2>/dev/null || true; rm -f "$log"' EXIT

echo "==> building the collector of $manifest (minutes the first time, seconds after that)"
if ! "$builder" --config="$manifest" >"$log" 2>&1; then
    cat "$log" >&2
    echo "build-collector: ocb could not build $manifest, its output is above" >&2
    exit 1
fi
echo "    built in $SECONDS s"
