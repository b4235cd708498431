#!/usr/bin/env bash
# Fails if `make generate` changes anything. What it changed stays, ready to be committed.
set -euo pipefail
cd "$(dirname "$0")/../.."

snapshots=$(mktemp -d)
trap 'rm -rf "$snapshots"' EXIT

snapshot() {
    mkdir "$snapshots/$1"
    tar cf - docs documentation.md generated_*.go internal/metadata internal/metadatatest | tar xf - -C "$snapshots/$1"
}

snapshot before
make --no-print-directory generate
snapshot after

if ! (cd "$snapshots" && diff -ru before after); then
    echo "check-generated: generated files were not up to date; they are now, commit them" >&2
    exit 1
fi
