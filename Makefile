# Build, test and release tasks. `make help` lists them. Needs Go, make, git and bash, nothing else:
# tools are built from pinned versions into .tools/bin.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The release of the Collector: modules that are not stable yet, and stable ones. `make check-versions` compares
# every go.mod and every ocb manifest with this line.
COLLECTOR_VERSION := v0.161.0
COLLECTOR_STABLE_VERSION := v1.67.0

GOLANGCI_LINT_VERSION := v2.15.0
# The gofumpt that golangci-lint has built in.
GOFUMPT_VERSION := v0.12.0
GO_LICENSES_VERSION := v1.6.0
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da

# Go modules of this repository that hold code of ours, the component first.
MODULES := $(patsubst %/go.mod,%,$(wildcard ./go.mod cmd/*/go.mod test/*/go.mod bench/go.mod))

# What the collectors are built from.
COMPONENT := go.mod go.sum $(shell find *.go internal mapping semconv -type f \
	-not -path 'internal/tools/*' -not -name '*_test.go' 2>/dev/null)

TOOLS := .tools/bin
BUILDER := $(TOOLS)/builder-$(COLLECTOR_VERSION)
GOLANGCI_LINT := $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOFUMPT := $(TOOLS)/gofumpt-$(GOFUMPT_VERSION)
GO_LICENSES := $(TOOLS)/go-licenses-$(GO_LICENSES_VERSION)
BENCHSTAT := $(TOOLS)/benchstat-$(BENCHSTAT_VERSION)

COLLECTOR := bin/otelcol-genai
SMALL_COLLECTOR := bin/otelcol-genai-demo
CLI := bin/genainormalize

# Runs a command in each module and stops at the first that fails.
define in-each-module
for module in $(MODULES); do \
	echo "==> $$module: $(1)"; \
	(cd "$$module" && $(2)) || exit 1; \
done
endef

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))


.PHONY: build
build: $(COLLECTOR) ## Build the full collector with ocb (bin/otelcol-genai)

.PHONY: build-small
build-small: $(SMALL_COLLECTOR) ## Build the small collector of the demo and the end-to-end tests (bin/otelcol-genai-demo)

.PHONY: cli
cli: ## Build the command line tool (bin/genainormalize)
	cd cmd/genainormalize && go build -o "$(CURDIR)/$(CLI)" .

.PHONY: demo
demo: $(SMALL_COLLECTOR) cli ## Send captured vLLM and SGLang traces through a collector, and show what came out and what becomes of metrics
	@examples/demo/run.sh

$(COLLECTOR): builder-config.yaml $(COMPONENT) | $(BUILDER)
	@internal/tools/build-collector.sh $(BUILDER) $<
	@mkdir -p bin && cp _build/$(@F) $@

$(SMALL_COLLECTOR): examples/demo/builder-config.yaml $(COMPONENT) | $(BUILDER)
	@internal/tools/build-collector.sh $(BUILDER) $<
	@mkdir -p bin && cp _build-demo/$(@F) $@

# Test

# The end-to-end tests are a module like the others and need a collector. Results are not cached: Go does not see a
# change of what lies outside of a module, such as the captured payloads.
test test-race: export GENAINORMALIZE_COLLECTOR := $(CURDIR)/$(SMALL_COLLECTOR)

.PHONY: test
test: $(SMALL_COLLECTOR) ## Run the tests of every module
	@$(call in-each-module,go test,go test -count=1 ./...)

# The race detector allocates, so what counts allocations says nothing under it.
.PHONY: test-race
test-race: $(SMALL_COLLECTOR) ## Run the tests of every module with the race detector
	@$(call in-each-module,go test -race,go test -race -count=1 -skip Allocations ./...)

.PHONY: e2e
e2e: $(SMALL_COLLECTOR) ## Run the end-to-end tests only
	cd test/e2e && GENAINORMALIZE_COLLECTOR="$(CURDIR)/$(SMALL_COLLECTOR)" go test -count=1 ./...

FUZZTIME ?= 1m

# Minimising an input can take longer than finding it, so that is bounded too.
.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (default 1m)
	go test ./internal/normalize -run '^$$' -fuzz '^FuzzTraces$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	go test ./internal/normalize -run '^$$' -fuzz '^FuzzMetrics$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	go test ./internal/normalize -run '^$$' -fuzz '^FuzzLogs$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	go test ./mapping -run '^$$' -fuzz '^FuzzParseTable$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	cd cmd/genainormalize && \
		go test ./internal/exposition -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x

# In the full collector. Both write their tables into docs/load.md.
soak load: export GENAINORMALIZE_FULL_COLLECTOR := $(CURDIR)/$(COLLECTOR)
load-and-soak = cd test/e2e && go test -count=1 -timeout 3h -v -run $(1) . -args -page ../../docs/load.md

LOAD_RATES ?= 2000,10000,0
LOAD_TARGETS ?= 20,200
LOAD_DURATION ?= 5s
LOAD_ROUNDS ?= 3

.PHONY: load
load: $(COLLECTOR) ## Measure the full collector with the processor, without it and with others that do its job (LOAD_RATES, LOAD_TARGETS, LOAD_DURATION, LOAD_ROUNDS)
	$(call load-and-soak,TestLoad) -rates $(LOAD_RATES) -targets $(LOAD_TARGETS) -duration $(LOAD_DURATION) -rounds $(LOAD_ROUNDS)

SOAK_DURATION ?= 30s

.PHONY: soak
soak: $(COLLECTOR) ## Let faults strike while servers send, each for SOAK_DURATION (default 30s), and count what arrives
	$(call load-and-soak,TestFaults) -duration $(SOAK_DURATION)

.PHONY: cover
cover: ## Run the component's tests and report their coverage (cover.out, cover.html)
	go test -coverpkg=./... -coverprofile=cover.out ./...
	go tool cover -html=cover.out -o cover.html
	@go tool cover -func=cover.out | tail -n 1

BENCH ?= .
BENCH_COUNT ?= 6

.PHONY: bench
bench: $(BENCHSTAT) ## Run the benchmarks and summarise them (bench.out; BENCH=regexp, BENCH_COUNT=n)
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(BENCH_COUNT) ./... | tee bench.out
	@$(BENCHSTAT) bench.out

# Round after round through all benchmarks, so that a change of the machine's speed changes them all.
RESULTS := bench/results

.PHONY: bench-compare
bench-compare: $(BENCHSTAT) ## Compare with transform and metricstransform, and write bench/results and the tables of docs/performance.md (BENCH_COUNT=n)
	cd bench && go test -count=1 -run TestSameOutput .
	@mkdir -p bin $(RESULTS)
	cd bench && go test -c -o ../bin/bench.test .
	@for (( i = 1; i <= $(BENCH_COUNT); i++ )); do \
		echo "==> round $$i of $(BENCH_COUNT)" >&2; \
		(cd bench && ../bin/bench.test -test.run '^$$' -test.bench . -test.benchmem -test.benchtime 100ms) || exit 1; \
	done > $(RESULTS)/runs.txt
	@cd $(RESULTS) && "$(CURDIR)/$(BENCHSTAT)" -col /by runs.txt > benchstat.txt
	cd bench && go run ./ratios results/runs.txt ../docs/performance.md

# Check

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run golangci-lint on every module
	@$(call in-each-module,golangci-lint run,"$(CURDIR)/$(GOLANGCI_LINT)" run --config "$(CURDIR)/.golangci.yml" ./...)

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format the Go files of every module (gofumpt, import groups)
	@$(call in-each-module,golangci-lint fmt,"$(CURDIR)/$(GOLANGCI_LINT)" fmt --config "$(CURDIR)/.golangci.yml" ./...)

.PHONY: generate
generate: $(GOFUMPT) docs licences ## Generate code and documentation from metadata.yaml, tables and captured payloads
	@# mdatagen takes the package name of the tests from the name of the folder that metadata.yaml is in, and a clone
	@# may have any name. So it is shown the clone under the right one, by a link.
	@mkdir -p .tools && ln -sfn .. .tools/genainormalizeprocessor
	rm -f generated_*_test.go
	cd .tools/genainormalizeprocessor && \
		go tool -modfile="$(CURDIR)/internal/tools/go.mod" mdatagen "$$PWD/metadata.yaml"
	$(GOFUMPT) -w generated_*.go internal/metadata internal/metadatatest

# Through a file beside, so that a page is whole or as it was.
.PHONY: docs
docs: cli ## Generate the pages under docs/ that follow from tables and captured payloads
	@mkdir -p docs
	$(CLI) docs coverage > bin/coverage.md
	@mv bin/coverage.md docs/coverage.md
	$(CLI) docs mapping --dir docs/mapping

# Its warnings are about files in assembler, which need no other module.
.PHONY: licences
licences: export GOOS := linux
licences: export GOARCH := amd64
licences: $(GO_LICENSES) ## Generate the list of what the component is built from, and check the licences
	@mkdir -p bin
	@{ $(GO_LICENSES) check . --ignore github.com/genainormalize --disallowed_types=forbidden,restricted,unknown && \
		$(GO_LICENSES) report . --ignore github.com/genainormalize --template internal/tools/licences.tpl > bin/licences.md; \
	} 2> bin/licences.log || { cat bin/licences.log >&2; exit 1; }
	@mv bin/licences.md docs/licences.md

.PHONY: check-generated
check-generated: ## Fail if `make generate` changes anything
	@internal/tools/check-generated.sh

.PHONY: tidy
tidy: ## Tidy the go.mod of every module
	@$(call in-each-module,go mod tidy,go mod tidy)
	cd internal/tools && go mod tidy

.PHONY: check-tidy
check-tidy: ## Fail if a go.mod is not tidy
	@$(call in-each-module,go mod tidy -diff,go mod tidy -diff)
	cd internal/tools && go mod tidy -diff

.PHONY: verify
verify: ## Fail if a module in the cache is not what go.sum says
	@$(call in-each-module,go mod verify,go mod verify)
	cd internal/tools && go mod verify

.PHONY: check-versions
check-versions: ## Fail if a module or an ocb manifest uses another release of the Collector than this file
	@internal/tools/check-versions.sh $(COLLECTOR_VERSION) $(COLLECTOR_STABLE_VERSION)

# Tools

.PHONY: tools
tools: $(BUILDER) $(GOLANGCI_LINT) $(GOFUMPT) $(GO_LICENSES) $(BENCHSTAT) ## Build the pinned tools into .tools/bin

# A tool's file name holds its version: another pin is another file.
define install
@echo "==> building $(@F)"
@mkdir -p $(TOOLS)/new
@GOBIN="$(CURDIR)/$(TOOLS)/new" go install $(1)
@mv $(TOOLS)/new/$(notdir $(firstword $(subst @, ,$(1)))) $@
endef

$(BUILDER):
	$(call install,go.opentelemetry.io/collector/cmd/builder@$(COLLECTOR_VERSION))

$(GOLANGCI_LINT):
	$(call install,github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION))

$(GOFUMPT):
	$(call install,mvdan.cc/gofumpt@$(GOFUMPT_VERSION))

# For the machine that it runs on, also where the list is for another.
$(GO_LICENSES): export GOOS :=
$(GO_LICENSES): export GOARCH :=
$(GO_LICENSES):
	$(call install,github.com/google/go-licenses@$(GO_LICENSES_VERSION))

$(BENCHSTAT):
	$(call install,golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION))

.PHONY: clean
clean: ## Remove everything that was built, except the tools
	rm -rf bin _build _build-demo cover.out cover.html bench.out
