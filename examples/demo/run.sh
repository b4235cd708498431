#!/usr/bin/env bash
# Sends captured vLLM and SGLang traces through a collector on this machine and shows what came in and what came out.
# `make demo` builds what this needs and calls it.
set -euo pipefail
cd "$(dirname "$0")/../.."

collector=bin/otelcol-genai-demo
cli=bin/genainormalize
config=examples/demo/collector.yaml
out=bin/demo
captured=testdata/captured

# vLLM's V1 engine and SGLang answer the same kind of request; then vLLM's V0 engine, its V1 engine offline (with integers
# where the conventions have doubles), and the spans of a server start: what is no request passes as it is.
inputs=(
    "$captured/vllm/vllm-0.32.0-v1-chat.otlp.json"
    "$captured/sglang/sglang-0.5.23-native-chat.otlp.json"
    "$captured/vllm/vllm-0.8.5-v0-chat.otlp.json"
    "$captured/vllm/vllm-0.32.0-v1-offline.otlp.json"
    "$captured/vllm/vllm-0.32.0-v1-startup.otlp.json"
)

pid=
stop_collector() {
    if [[ -n $pid ]]; then
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        pid=
    fi
}
trap stop_collector EXIT
trap 'exit 130' INT TERM

die() {
    echo "demo: $1" >&2
    if [[ -s $out/collector.log ]]; then
        echo "demo: the collector's log ($out/collector.log) ends with" >&2
        tail -n 20 "$out/collector.log" >&2
    fi
    exit 1
}

is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Below the range that Linux takes for outgoing connections.
free_port() {
    local port
    for _ in {1..50}; do
        port=$((20000 + RANDOM % 10000))
        if is_free "$port"; then
            echo "$port"
            return
        fi
    done
    return 1
}

start_collector() {
    OTLP_HTTP_PORT=$port OUTPUT_FILE=$out/after.json "$collector" --config "$config" >"$out/collector.log" 2>&1 &
    pid=$!
    for _ in {1..300}; do
        if grep -q 'Everything is ready' "$out/collector.log"; then
            return
        fi
        if ! kill -0 "$pid" 2>/dev/null; then
            pid=
            die "the collector did not start"
        fi
        sleep 0.1
    done
    die "the collector was not ready after 30 s"
}

# One line for each document. Without this the collector could be told to stop before it listens to signals.
wait_for_output() {
    for _ in {1..100}; do
        if [[ -f $out/after.json && $(wc -l <"$out/after.json") -ge ${#inputs[@]} ]]; then
            return
        fi
        sleep 0.1
    done
    die "not all traces came out of the collector"
}

for binary in "$collector" "$cli"; do
    [[ -x $binary ]] || die "$binary is missing, use 'make demo'"
done
rm -rf "$out"
mkdir -p "$out"
cat "${inputs[@]}" >"$out/before.json"
port=$(free_port) || die "found no free port on 127.0.0.1"

echo "==> starting the collector on 127.0.0.1:$port"
start_collector
echo "==> replaying ${#inputs[@]} captured traces"
"$cli" replay --endpoint "http://127.0.0.1:$port" "${inputs[@]}" || die "could not send the traces"
wait_for_output
stop_collector

echo
"$cli" compare --max 4 "$out/before.json" "$out/after.json" || die "could not compare what came in and what came out"
cat <<END

where to look next
  $out/{before,after}.json  what went in and what came out; to see more of it
                              $cli compare --max 20 $out/before.json $out/after.json
  $config
                            the collector's configuration, to copy
  $captured/        more captured traces; what becomes of one, without a collector
                              $cli apply FILE
  README.md                 what is recognised, the options, and how to build your own collector
END
