#!/usr/bin/env bash
# Fails if a go.mod or an ocb manifest asks for another release of the Collector than the Makefile.
# mdatagen has releases of its own and lives in internal/tools, which is left out.
#
# usage: check-versions.sh COLLECTOR_VERSION STABLE_VERSION
set -euo pipefail
cd "$(dirname "$0")/../.."

pinned="$1|$2"
files=$(git ls-files -co --exclude-standard -- 'go.mod' '*/go.mod' '*builder-config.yaml' ':!internal/tools')

# shellcheck disable=SC2086 # a list of files
if grep -HnE '(go\.opentelemetry\.io/collector|opentelemetry-collector-contrib)/[^ ]+ v' $files |
    grep -vE " v?(${pinned//./\\.})( |\$)"; then
    echo "check-versions: the lines above should be at $1 (stable modules $2)" >&2
    exit 1
fi
