#!/usr/bin/env bash
# Sends captured vLLM and SGLang traces through a collector on this machine and shows what came in and what came out,
# and what becomes of the metrics that such servers exposed.
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

# Metrics need no collector here: the command line tool reads what a server answers on /metrics.
metrics=(
    "vllm $captured/vllm/metrics/vllm-0.32.0.prom"
    "sglang $captured/sglang/metrics/sglang-0.5.23.prom"
)
sources=(e2e_request_latency_seconds time_to_first_token_seconds request_time_per_output_token_seconds)
targets=(gen_ai.server.request.duration gen_ai.server.time_to_first_token gen_ai.server.time_per_output_token)

# metric prints the metric of a name, of those that the tool wrote.
metric() { sed 's/{"name":/\n&/g' "$1" | grep -F "{\"name\":\"$2\"," || die "$2 is not in $1"; }

# labels prints the keys of a metric's labels.
labels() { grep -o '"key":"[^"]*"' <<<"$1" | cut -d '"' -f 4 | grep -v '^prometheus\.' | sort -u | paste -s -d ' ' -; }

# row prints a name, a unit, the number of values and labels.
row() {
    local unit values
    unit=$(grep -o '"unit":"[^"]*"' <<<"$3" | cut -d '"' -f 4 || true)
    values=$(($(grep -o '"count":"[0-9]*"' <<<"$3" | tr -dc '0-9\n' | paste -s -d + -)))
    printf '%s %-44s %-4s %6s  %s\n' "$1" "$2" "${unit:--}" "$values" "$(labels "$3")"
}

show_metrics() {
    local engine file i metrics_of
    printf '  %-44s %-4s %6s  %s\n' metric unit values labels
    for i in "${!sources[@]}"; do
        for metrics_of in "${metrics[@]}"; do
            read -r engine file <<<"$metrics_of"
            row - "$engine:${sources[i]}" "$(metric "$out/$engine-before.json" "$engine:${sources[i]}")"
            row + "${targets[i]}" "$(metric "$out/$engine-after.json" "${targets[i]}")"
        done
        echo
    done
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

echo
echo "==> applying the same rules to captured scrapes of vLLM 0.32.0 and SGLang 0.5.23"
echo 'engines: {vllm: {enabled: false}, sglang: {enabled: false}}' >"$out/nothing.yaml"
for metrics_of in "${metrics[@]}"; do
    read -r engine file <<<"$metrics_of"
    "$cli" apply --job "$engine" --config "$out/nothing.yaml" "$file" >"$out/$engine-before.json"
    "$cli" apply --job "$engine" "$file" >"$out/$engine-after.json" || die "could not normalise $file"
done
show_metrics
cat <<END
where to look next
  $out/{before,after}.json  what went in and what came out; to see more of it
                              $cli compare --max 20 $out/before.json $out/after.json
  $config
                            the collector's configuration, to copy
  $captured/        more captured traces; what becomes of one, without a collector
                              $cli apply FILE
  examples/metrics          a collector that scrapes both, and queries that answer for both
  README.md                 what is recognised, the options, and how to build your own collector
END
