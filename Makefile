# Every habit of the project. `make help` lists them.

GO      ?= go
BIN     := bin/poolproof
OUT     := out
SOURCES := $(shell find cmd ingest replay core audit queries -name '*.go' -o -name '*.sql' -o -path '*/report/page/*' 2>/dev/null) go.mod go.sum

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

PYTHON ?= python3
VENV   := .venv
CODEC  := .venv-yson
PERFETTO := .venv-perfetto
BROWSER := .venv-browser
CLIENTS := .venv-clients
SPARK  := .venv-spark

.PHONY: help build demo demo-ytsaurus notebooks yson-vendor perfetto page clients spark test sweep cases law matrix mutate innocent-day google2011 columns shifts round-trip check lint golden licences dist docs fuzz hostile bench bench-ingest bench-import bench-import-size bench-replay bench-fair-share bench-memory bench-judge bench-day bench-large clean

help: ## list these habits
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

build: $(BIN) ## build bin/poolproof

$(BIN): $(SOURCES)
	$(GO) build -o $@ ./cmd/poolproof

# What the demo breaks on purpose, each in a tree of its own.
DEMO_PLANTS := start_over_pool_limit,running_over_ancestor_limit,older_victim_first,guarantee_ignored,start_over_node,legal_limit_lowered

demo: $(BIN) ## a night of a small made-up cluster with planted violations, audited
	@mkdir -p $(OUT)
	@rm -rf $(OUT)/demo-trace $(OUT)/demo-run $(OUT)/demo-trace.planted.json
	$(BIN) generate --preset small --plant $(DEMO_PLANTS) --out $(OUT)/demo-trace
	@# Promises were broken: exit code 1 is the demo's success.
	$(BIN) run $(OUT)/demo-trace --out $(OUT)/demo-run; test $$? -eq 1
	@echo "Planted: $(OUT)/demo-trace.planted.json"

SAMPLES := ingest/ytsaurus/testdata/samples
demo-ytsaurus: $(BIN) ## the event log of a YTsaurus cluster, a made-up one of three minutes, from import to report
	@mkdir -p $(OUT)
	@rm -rf $(OUT)/ytsaurus-trace $(OUT)/ytsaurus-run
	$(BIN) import ytsaurus $(SAMPLES)/2023.jsonl.gz --pool-trees $(SAMPLES)/pool_trees.2023.json --cluster demo --out $(OUT)/ytsaurus-trace
	@# The cluster kept its promises, and the log does not tell all: exit code 0.
	$(BIN) run $(OUT)/ytsaurus-trace --out $(OUT)/ytsaurus-run

# A notebook is executed as a copy, with its plots beside it; the first cell that fails or
# has an empty answer is the end.
NOTEBOOKS := $(patsubst notebooks/%.ipynb,$(OUT)/notebooks/%.html,$(wildcard notebooks/*.ipynb))
MONTH     := $(OUT)/month
NIGHTS    := $(foreach day,$(shell seq -w 1 30),$(MONTH)/2025-03-$(day)/run.duckdb)
notebooks: $(NOTEBOOKS) ## execute the notebooks on the runs that they need; -j2 makes these side by side

$(NOTEBOOKS): $(OUT)/notebooks/%.html: notebooks/%.ipynb notebooks/runs.py $(VENV)/installed $(OUT)/demo-run/run.duckdb $(OUT)/incident-run/run.duckdb $(NIGHTS)
	$(VENV)/bin/jupyter nbconvert --log-level ERROR --execute --to html --ExtractOutputPreprocessor.enabled=True --output-dir $(@D) $<

# The incident of the README.
$(OUT)/incident-run/run.duckdb: $(BIN)
	@mkdir -p $(OUT)
	$(BIN) generate --preset small --plant starving_too_late --out $(OUT)/incident-trace --replace --quiet
	@# The scheduler broke a rule: exit code 1.
	$(BIN) run $(OUT)/incident-trace --out $(@D) --replace --quiet; test $$? -eq 1

# Thirty nights of a cluster, and in that of the 19th what incident.yaml says.
$(NIGHTS): $(MONTH)/2025-03-%/run.duckdb: notebooks/month/night.yaml notebooks/month/incident.yaml $(BIN)
	@mkdir -p $(MONTH) $(MONTH)-traces
	@cat notebooks/month/night.yaml $(if $(filter 19,$*),notebooks/month/incident.yaml) | sed 's/^start: .*/start: 2025-03-$*T02:00:00Z/' > $(MONTH)-traces/$*.yaml
	@$(BIN) generate --spec $(MONTH)-traces/$*.yaml --seed 1$* --out $(MONTH)-traces/2025-03-$* --replace --quiet
	$(BIN) run $(MONTH)-traces/2025-03-$* --out $(@D) --replace --quiet

# Python packages are pinned with the hashes of all their files. Of new versions
# uv pip compile --universal --generate-hashes writes them.
$(VENV)/installed: notebooks/requirements.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

yson-vendor: $(CODEC)/installed ## install the vendor's YSON codec, which a test of ingest/yson compares ours with

TRACES := $(OUT)/perfetto
perfetto: $(PERFETTO)/installed $(OUT)/demo-run/run.duckdb ## read what explain writes of the demo's trees for ui.perfetto.dev with the messages that Perfetto publishes
	@rm -rf $(TRACES) && mkdir -p $(TRACES)
	@for tree in physical devices plant-guarantee-ignored; do $(BIN) explain $(OUT)/demo-run $$tree --output perfetto > $(TRACES)/$$tree.pftrace || exit 1; done
	$(PERFETTO)/bin/python audit/report/perfetto/testdata/check.py $(TRACES)/*.pftrace

$(PERFETTO)/installed: audit/report/perfetto/testdata/requirements.txt
	$(PYTHON) -m venv --clear $(PERFETTO)
	$(PERFETTO)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

CLIENTS_OF := audit/testdata/clients
OLD_DUCKDB := 1.1.3 1.4.5
clients: $(CLIENTS)/installed $(OUT)/demo-run/run.duckdb ## read the demo's run with three versions of DuckDB, pyarrow, polars and pandas, and compare
	$(CLIENTS)/bin/python $(CLIENTS_OF)/check.py $(OUT)/demo-run queries/VIEWS.md $(BIN) $(OLD_DUCKDB:%=$(CLIENTS)/duckdb-%)

$(CLIENTS)/installed: $(CLIENTS_OF)/requirements.txt Makefile
	$(PYTHON) -m venv --clear $(CLIENTS)
	$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@for version in $(OLD_DUCKDB); do \
	  $(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --target $(CLIENTS)/duckdb-$$version -r $(CLIENTS_OF)/requirements-duckdb-$$version.txt || exit 1; \
	done
	@touch $@

spark: $(SPARK)/installed $(BIN) ## replay DAYS (7) days of three trees on an Apache Spark of this machine, kill an executor, compare with one process
	cd cmd/poolproof-spark && ../../$(SPARK)/bin/mypy --cache-dir=/dev/null *.py
	cd cmd/poolproof-spark && DAYS=$(or $(DAYS),7) POOLPROOF=$(CURDIR)/$(BIN) ../../$(SPARK)/bin/python -B -m pytest

$(SPARK)/installed: cmd/poolproof-spark/requirements.txt
	@java -version >/dev/null 2>&1 || { echo "make spark: Spark runs on Java, and there is none: install a runtime of Java 17, as openjdk-17-jre-headless"; exit 1; }
	$(PYTHON) -m venv --clear $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# CHROMIUM is the path of a browser, else Playwright's own is taken: $(BROWSER)/bin/playwright install chromium
page: $(BROWSER)/installed $(OUT)/demo-run/run.duckdb ## open the demo's page in Chromium, on a phone, on a screen and on paper; pictures in out/page
	$(BROWSER)/bin/python audit/report/testdata/browser.py $(OUT)/demo-run/report.html --shots $(OUT)/page

$(BROWSER)/installed: audit/report/testdata/requirements.txt
	$(PYTHON) -m venv --clear $(BROWSER)
	$(BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# What else the vendor's client needs, the codec does not.
$(CODEC)/installed: ingest/yson/testdata/requirements.txt
	$(PYTHON) -m venv --clear $(CODEC)
	$(CODEC)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@touch $@

$(OUT)/demo-run/run.duckdb: $(BIN)
	$(MAKE) demo

# Tests make and remove hundreds of thousands of small files, at which some disks are slow: their
# temporary files stand in memory, where there are 8 GiB of it for files.
ifeq ($(origin TMPDIR), undefined)
  ifeq ($(shell test -w /dev/shm && df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print ($$4 >= 8 * 1024 * 1024) }'),1)
    test sweep cases law: export TMPDIR := /dev/shm
  endif
endif

# Tests hold little and make much garbage: Go would collect it often. The program does as it
# always does.
test sweep cases law: export GOGC ?= 400

# make check vets; without symbols for debuggers the binaries of tests are linked in half the time.
test: ## run the tests, of each sweep a sample
	$(GO) test -vet=off -ldflags=-w -timeout 60m ./...

# A sweep is a test of many cases that take minutes together: core/coretest/sweep. SWEPT are the
# packages that have some.
PART  ?= all
TESTS := ./cmd/poolproof/tests
SWEPT := ./cmd/poolproof/... ./ingest/synthetic
SWEEP := POOLPROOF_SWEEP_PART=$(PART) $(GO) test -p 1 -count 1 -timeout 180m
WITHOUT ?=
sweep: ## every sweep, or of each a PART (all), as PART=3/16, without those that WITHOUT (none) matches
	$(SWEEP) $(SWEPT) -run '^TestSweep' -skip '$(WITHOUT)'

# CI runs all of these with each commit, whatever package they are in.
cases: ## every input that once gave a wrong answer, and every log of the scheduler's simulator
	POOLPROOF_SWEEP_PART=all $(GO) test -vet=off -ldflags=-w -count 1 -timeout 60m -run '^TestSweepCases' \
	  $$(grep -rl --include='*_test.go' '^func TestSweepCases' cmd ingest | xargs -n1 dirname | sort -u | sed 's,^,./,')

LAW ?= 0-1999
law: ## does lost information accuse? Mutations of good logs, by their seeds LAW (0-1999); up to 100 are reduced to the fewest edits
	POOLPROOF_LAW=$(LAW) $(GO) test -vet=off -ldflags=-w -count 1 -timeout 180m $(TESTS)/law -run '^TestSweepLostInformation$$'

SEEDS ?= 5
matrix: SHELL := bash -o pipefail
matrix: ## planted violations against the audits that find them, for SEEDS seeds (5), and all in one trace
	POOLPROOF_MATRIX_SEEDS=$(SEEDS) $(SWEEP) $(TESTS)/plants -run '^TestSweep(Matrix|PlantsTogether)$$' -v | grep -vE '^ *(=== |--- PASS)'

FILES ?= audits/(limits|starvation)/
mutate: ## the SQL files that FILES matches, with a fault each time: which of them does no test of package audit notice?
	POOLPROOF_MUTATE='$(FILES)' $(GO) test ./audit -run '^TestMutants$$' -count 1 -timeout 120m -v | grep -vE '^ *(=== |--- PASS)'

DAY     ?= 10h
PROFILE ?= documented,baseline,current,legacy
innocent-day: ## preset day with nothing planted accuses nobody, and all is judged: its first DAY (10h), for seeds 1 to DAYS (1), in PROFILE (all four)
	POOLPROOF_DAY=$(DAY) POOLPROOF_DAYS=$(or $(DAYS),1) POOLPROOF_PROFILE=$(PROFILE) $(SWEEP) $(TESTS)/plants -run '^TestSweepInnocentDay$$' -v

google2011: ## all 29 days of Google's job events, imported and judged: limits and waits against a recount
	POOLPROOF_GOOGLE_TO=1970-02-01T00:00:00Z $(GO) test $(TESTS)/foreign -run '^TestGoogle$$' -count 1 -timeout 60m -v

columns: ## a log that leaves out a column, one after the other of all that it may, accuses nobody
	$(SWEEP) $(TESTS)/plants -run '^TestSweepWhatALogLacksAccusesNobody$$' -v

shifts: ## a log that tells a table a moment too soon or too late, one after the other, accuses nobody
	$(SWEEP) $(TESTS)/plants -run '^TestSweepWhatALogTellsLateAccusesNobody$$' -v

round-trip: ## every kind of plant, and what is clean, written as the event log of each age, imported and judged
	$(SWEEP) $(TESTS)/foreign -run '^TestSweep(Clean)?RoundTrip$$' -v -update

check: SHELL := bash -o pipefail
check: ## format, vet, go.mod, import rules, and functions that no command reaches
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt would change:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	$(GO) test -run 'TestImports|TestOneArrow' $(TESTS)/docs
	@$(GO) run -C .ci/reach . $(CURDIR) ./cmd/poolproof | diff <(sed -E 's/ *#.*//;/^$$/d' .ci/dead-functions | sort) - || \
	  { echo "no command reaches > (use it, move it to a test, or remove it); .ci/dead-functions lists < in vain"; exit 1; }

lint: ## staticcheck, at a pinned version, and habits of prose
	$(GO) run $(STATICCHECK) ./...
	$(GO) test -run '^TestProse' $(TESTS)/docs

golden: ## rewrite every expected output; reading the diff is the review
	$(GO) test ./core ./replay -rewrite
	$(GO) test ./replay/tables -update
	$(GO) test $(TESTS)/queries -run '^TestTheTenQuestionsAreAnswered$$' -update

licences: ## rewrite THIRD_PARTY_LICENSES from the modules that are linked
	$(GO) test $(TESTS)/docs -run '^TestThirdPartyLicences$$' -count 1 -update

dist: ## a stripped binary with completions, manual page and units, as an archive in out/dist; same commit, same bytes
	cmd/poolproof/packaging/dist.sh $(OUT)/dist

docs: ## rewrite the reference: REFERENCE.md and the pages that it leads to
	$(GO) generate ./replay/tables
	$(GO) test $(TESTS)/docs -run '^TestReference$$' -count 1 -update

FUZZTIME ?= 30s
# What is found is made small in at most 100 trials: a minute of it is no minute of fuzzing.
fuzz: ## every fuzz test for FUZZTIME (30s), all of them whatever one finds
	@failed=''; \
	for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  for name in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$package/*_test.go | sed 's/^func //'); do \
	    echo "$$package $$name"; \
	    $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $$package || failed="$$failed $$name"; \
	  done; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

MUTANTS ?= 2000
FROM    ?= 0
hostile: ## MUTANTS (2000) damaged traces, from number FROM (0) on, each replayed and, if that can be, audited
	POOLPROOF_HOSTILE=$(MUTANTS) POOLPROOF_HOSTILE_FROM=$(FROM) $(SWEEP) $(TESTS)/faults -timeout 600m -run '^TestSweepHostileTraces$$' -v | grep -vE '^ *(=== |--- PASS)'

COUNT ?= 1
bench: ## all benchmarks, COUNT times (1), in a form that benchstat reads
	$(GO) test -run '^$$' -bench . -count $(COUNT) ./...

bench-ingest: ## our heartbeat reader against DuckDB's scan, 20 million rows
	POOLPROOF_BENCH_ROWS=20000000 $(GO) test -run '^$$' -bench Heartbeats -count $(COUNT) -timeout 60m ./cmd/poolproof/command

bench-import: ## event logs of a YTsaurus cluster in each form through the import, beside DuckDB reading JSON lines, 200,000 job events
	POOLPROOF_BENCH_ROWS=200000 $(GO) test -run '^$$' -bench '^BenchmarkImport$$' -cpu 1 -count $(COUNT) -timeout 60m ./cmd/poolproof/command

bench-import-size: ## peak resident size of an import of EVENTS (10 million) job events and an hour of snapshots of 2,000 elements
	POOLPROOF_IMPORT_JOB_EVENTS=$(or $(EVENTS),10000000) $(GO) test -run '^TestImportSize$$' -v -count 1 -timeout 120m $(TESTS)/foreign

bench-replay: ## events per second, and per second of CPU, through ingest, core and replay, 2 million heartbeats
	POOLPROOF_BENCH_HEARTBEATS=2000000 $(GO) test -run '^$$' -bench Events -count $(COUNT) -timeout 60m ./cmd/poolproof/command

bench-fair-share: SHELL := bash -o pipefail
bench-fair-share: ## fair share updates against the reference and calib.c, one table
	@POOLPROOF_BENCH=1 $(GO) test ./core/fairshare -run '^TestBenchFairShare$$' -count 1 -v | grep -v '^==='

bench-memory: ## peak resident size of replays of 5 and 20 million heartbeats
	POOLPROOF_MEMORY_HEARTBEATS=20000000 $(SWEEP) $(TESTS)/faults -run '^TestSweepMemory$$' -v

bench-judge: ## heartbeats and decisions judged, decisions simulated, admissions; one at a time, per core
	$(GO) test -run '^$$' -bench '^Benchmark(Referee|Admission)$$' -benchmem -count $(COUNT) ./replay/decisions ./core ./core/pooltree

bench-day: $(OUT)/day-trace ## replay and audit of a trace of preset day, wall and CPU seconds
	POOLPROOF_BENCH_DAY=$(abspath $(OUT)/day-trace) $(GO) test -run '^$$' -bench '^BenchmarkDay$$' -benchtime 1x -count $(COUNT) -timeout 60m ./cmd/poolproof/command

LENGTH ?= 1h
OLD    ?=
bench-large: $(BIN) $(OUT)/large-$(LENGTH)-trace ## replay and audit of LENGTH (1h) of preset large with all heartbeats: wall and CPU seconds, peak memory; of another build, OLD, beside it
	POOLPROOF_BENCH_LARGE=$(abspath $(OUT)/large-$(LENGTH)-trace) POOLPROOF_BENCH_BUILDS=$(abspath $(BIN))$(if $(OLD),:$(abspath $(OLD))) \
	  $(GO) test -run '^$$' -bench '^BenchmarkLarge$$' -benchtime 1x -count $(COUNT) -timeout 180m ./cmd/poolproof/command

$(OUT)/large-$(LENGTH)-trace: | $(BIN)
	@mkdir -p $(OUT)
	$(BIN) generate --preset large --all-heartbeats --length $(LENGTH) --out $@

$(OUT)/day-trace: | $(BIN)
	@mkdir -p $(OUT)
	$(BIN) generate --preset day --out $@

clean: ## remove what was built and made
	rm -rf bin $(OUT) $(VENV) $(CODEC) $(PERFETTO) $(CLIENTS)
