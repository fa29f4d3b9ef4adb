# Every habit of the project. `make help` lists them.

GO      ?= go
BIN     := bin/poolproof
OUT     := out
SOURCES := $(shell find cmd ingest replay core audit queries -name '*.go' -o -name '*.sql' 2>/dev/null) go.mod go.sum

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help build demo test check lint golden docs fuzz bench bench-ingest bench-replay bench-fair-share clean

help: ## list these habits
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

build: $(BIN) ## build bin/poolproof

$(BIN): $(SOURCES)
	$(GO) build -o $@ ./cmd/poolproof

demo: $(BIN) ## the main job on a small cluster log that the repository holds
	@mkdir -p $(OUT)
	@rm -rf $(OUT)/demo-trace $(OUT)/demo-run
	$(BIN) import swf cmd/poolproof/testdata/demo/cluster.swf --config cmd/poolproof/testdata/demo/pools.yaml --out $(OUT)/demo-trace
	@# The log holds planted violations: exit code 1 is the demo's success.
	$(BIN) run $(OUT)/demo-trace --out $(OUT)/demo-run; test $$? -eq 1

test: ## run all tests
	$(GO) test -timeout 60m ./...

check: ## format, vet and import rules
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt would change:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) test -run 'TestImports|TestOneArrow' ./cmd/poolproof

lint: ## staticcheck, at a pinned version
	$(GO) run $(STATICCHECK) ./...

clean: ## remove what was built and made
	rm -rf bin $(OUT)
