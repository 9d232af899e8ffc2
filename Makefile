# make run    build a virtual environment, install, check every current table, follow one
# make test   install what the tests need, then run all of them
# make core   compile the C again, where a compiler was missing before
# make lint   ruff, and mypy --strict on all but tests
# make fuzz   the tests that draw their inputs, on new ones each time; then every reader for EACH
#             seconds, on inputs that grow towards code not yet reached, and as long on inputs that
#             cost much for their size
# make keep   what make fuzz found that is worth keeping goes into tests/fuzz/kept
# make sanitize   the C with gcc's address and undefined behaviour sanitizers, and what tests it
# make faults SINCE=commit   plants faults in the lines changed since then, and lists those that no
#             test of their room finds
# make compared TREES=path   RHEL's builds, whose trees are there, against the models: docs/compared.tsv
# make oracle LINUX=path   governors, idle loop and drivers of any kernel tree against the models
# make bench  speed, with the kernel's own C, dtc, grep and others beside it, in ten minutes; OUTPUT=FILE:
#             where the run is stored, AGAINST=FILE: names what became slower since a stored one; DTS=DIR,
#             FWTS=PROGRAM, SKIBOOT=CLONE, LINUX=TREE: more to measure; BENCH=--quick or BENCH="start audit"
# make schema  schemas/output.schema.json, from the forms of the documents
# make spec-schema  schemas/idle-states.schema.json, with the registry's processors and chips
# make docs   the documentation site, build/site/index.html
# make man    man/idle-states.1, from the parser
# make tutorial  the transcripts of the tutorial and the how-to pages, run again
# make mainline DTS=DIR NAME="Linux 7.2"  docs/mainline.md, from an audit of a tree's boards; without
#                  both, of Debian's newest source of Linux
# make archives MIRRORS="DIR ..." TREES="DIR ..."  docs/archives.md, from review's answers to the mails of
#                  mirrored lists; what was run is kept in build/archives
# make opal SKIBOOT=DIR INPUTS="FILE|DIR ..." FWTS=PROGRAM OP_TEST=DIR  docs/opal.md, from an audit of
#                  real device trees, logs and images of OPAL, and what fwts and op-test say of them
# make limits  the table of limits in docs/security.md
# make boot-deps  fetch what a boot under QEMU needs, into the user's cache
# make trees  boot QEMU's machines, and keep their device trees as test data
# make nightly     boot every spec on every machine that takes it, and tables meant to break Linux
#                  on virt machines of Arm and RISC-V, and on q35; keep what was confirmed
# make validation  docs/validation.md from what nightly kept
# make rounding    docs/rounding.md: every value that firmware or a kernel changes, and its rule
# make published   docs/published.md: published measurements, simulated
# make governor-commits TREES=DIR MAILS=DIR  docs/governor-commits.md, from clones of Linux and of linux-pm
# make seeds       docs/claims.md: what five published documents claim, and what each command prints
# make lock   the newest versions of all packages into requirements/, with their hashes
# make dist   wheel and sdist under dist/, for this machine and Python
# make wheels  the wheels of a release, cross-compiled: docs/releasing.md; PLATFORMS="ppc64le" chooses
# make sbom   the bill of materials of a release, with the files in dist/, as CycloneDX
# make wheels-test  as root: each of them installed and tested in a Debian of its platform

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
IDLE   := $(BIN)/idle-states
EXAMPLE := power9-dd1
EACH   ?= 60
EXTRAS  := test lint dtschema dask parquet docs

.DEFAULT_GOAL := run
.PHONY: run test core lint fuzz keep sanitize faults compared oracle bench boot-deps trees nightly validation published rounding seeds governor-commits mainline archives opal schema spec-schema limits docs man tutorial lock dist wheels sbom wheels-test clean packages

run: $(VENV)/.installed $(VENV)/.dtschema
	@echo "== Every current table against every rule and the long-term kernels"
	$(IDLE) check
	@echo; echo "== POWER9 DD1 before its stop0_lite was corrected"
	$(IDLE) show $(EXAMPLE)@84368bbf8 --kernel 4.11 --kernel 6.1 --platform op920
	@echo; echo "== ... and after"
	$(IDLE) show $(EXAMPLE) --kernel 4.11 --kernel 6.1 --platform op920
	@mkdir -p build
	$(IDLE) generate --to c $(EXAMPLE) -o build/$(EXAMPLE).c
	$(IDLE) generate --to dts $(EXAMPLE) -o build/$(EXAMPLE).dts
	$(IDLE) generate --to dtb $(EXAMPLE) -o build/$(EXAMPLE).dtb
	@echo "build/ has the C table and the device tree of $(EXAMPLE)"

test: packages $(VENV)/.installed-test
	@$(BIN)/python -m compileall -q idle_states tests tools  # for the processes that tests start
	$(BIN)/python -m pytest -m "" $(PYTEST)

core: $(VENV)/bin/python
	@$(BIN)/python -m tools.install
	@touch $(VENV)/.installed
	@$(IDLE) --version

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: packages $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "" --hypothesis-profile=new $(PYTEST)
	$(BIN)/python -m tests.fuzz --seconds $(EACH) $(READERS)
	$(BIN)/python -m tests.fuzz.growth --seconds $(EACH) $(READERS)

keep: $(VENV)/.installed-test
	$(BIN)/python -m tests.fuzz.corpus $(READERS)

sanitize: packages $(VENV)/.installed-test
	$(BIN)/python -m tests.support.sanitized

oracle: packages $(VENV)/.installed-test
	LINUX="$(LINUX)" $(BIN)/python -m pytest -m "" \
	  tests/oracle/test_governor_oracle.py tests/oracle/test_idle_loop_oracle.py \
	  tests/tables/linux/governors/test_models.py tests/tables/linux/test_powernv_model.py \
	  tests/tables/linux/test_pseries_oracle.py tests/tables/linux/test_dt_idle_oracle.py \
	  tests/tables/linux/genpd/test_oracle.py tests/tables/kernels/test_values_oracle.py \
	  tests/tables/generate/test_limited_oracle.py $(PYTEST)

compared: $(VENV)/.installed-test
	$(BIN)/python -m tools.compared $(TREES) 100000

faults: $(VENV)/.installed-test
	$(BIN)/python -m tools.plant_faults $(SINCE)

schema: $(VENV)/.installed
	$(BIN)/python -m tools.schema

bench: $(VENV)/.installed-test
	@$(BIN)/python -m tools.prepare  # as an installation has them
	$(BIN)/python -m benchmarks $(if $(OUTPUT),--output "$(OUTPUT)") $(if $(AGAINST),--against "$(AGAINST)") $(BENCH)

boot-deps: $(VENV)/.installed
	@PYTHON=$(PYTHON) sh tests/install-packages.sh
	$(BIN)/python -m idle_states.change.boot.parts

trees: boot-deps
	$(BIN)/python -m tools.record_trees

nightly: boot-deps
	$(BIN)/python -m tools.nightly powernv
	$(BIN)/python -m tools.nightly virt
	$(BIN)/python -m tools.nightly q35

validation: $(VENV)/.installed
	@mkdir -p build
	$(BIN)/python -m tools.validation docs/validation.json docs/validation-virt.json docs/validation-q35.json > build/validation.md
	mv build/validation.md docs/validation.md

published: $(VENV)/.installed
	$(BIN)/python -m tools.published docs

rounding: $(VENV)/.installed
	$(BIN)/python -m tools.rounding

seeds: $(VENV)/.installed
	$(BIN)/python -m tools.claims

governor-commits: $(VENV)/.installed
	$(BIN)/python -m tools.governor_commits $(if $(TREES),"$(TREES)" "$(MAILS)")

spec-schema: $(VENV)/.installed
	$(BIN)/python -m tools.spec_schema

mainline: $(VENV)/.installed
	$(BIN)/python -m tools.mainline $(if $(DTS),"$(DTS)" "$(NAME)")

archives: $(VENV)/.installed
	$(BIN)/python -m tools.archives $(MIRRORS) $(TREES)

opal: $(VENV)/.installed
	$(BIN)/python -m tools.opal $(SKIBOOT) $(INPUTS) $(if $(FWTS),--fwts $(FWTS)) $(if $(OP_TEST),--op-test $(OP_TEST))

limits: $(VENV)/.installed
	$(BIN)/python -m tools.limits

docs: $(VENV)/.installed
	@$(BIN)/python -m tools.install docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "build/site/index.html"

man: $(VENV)/.installed
	$(BIN)/python -m tools.site.manual

tutorial: packages $(VENV)/.installed-test
	$(BIN)/python -m tools.site.transcripts

lock: $(VENV)/.installed
	@$(BIN)/python -m tools.install lock
	$(BIN)/python -m tools.lock

dist: $(VENV)/.installed-test
	$(BIN)/python -m build --no-isolation --outdir dist .

wheels: $(VENV)/.installed-wheels
	$(BIN)/python -m tools.wheels $(TWICE) $(PLATFORMS)

sbom: $(VENV)/.installed-wheels
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m tools.sbom

wheels-test: $(VENV)/.installed
	$(BIN)/python -m tools.try_wheels $(PLATFORMS)

packages:
	@PYTHON=$(PYTHON) sh tests/install-packages.sh

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "expected Python 3.11 or later as $(PYTHON); set PYTHON=python3.12, say" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "expected Python's venv module; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

CORE := idle_states/tables/linux/governors/core
# The core is compiled from the governors' features, too.
BUILT_FROM := setup.cfg setup.py pyproject.toml tools/eras.py \
	$(wildcard idle_states/tables/devicetree/*.[ch] $(CORE)/*.[ch]) \
	idle_states/base/model/history.py idle_states/tables/linux/releases.py \
	$(CORE)/structs.py \
	$(wildcard idle_states/tables/linux/governors/*_features.py) \
	requirements/build.txt requirements/run.txt

$(VENV)/.installed: $(VENV)/bin/python $(BUILT_FROM)
	@$(BIN)/python -m tools.install
	@$(BIN)/python -m compileall -q idle_states  # even where PYTHONDONTWRITEBYTECODE is set
	@touch $@

# Checks of device trees use it; without it they say how to install it.
$(VENV)/.dtschema: $(VENV)/.installed requirements/extras.txt
	@$(BIN)/python -m tools.install dtschema || true
	@touch $@

# What could not be installed is tried again the next time. So is the core, once there is a compiler.
$(VENV)/.installed-test: $(VENV)/.installed requirements/extras.txt
	@if [ -e $(CORE)/_core.missing ] && command -v $${CC:-gcc} >/dev/null; then \
	  $(BIN)/python -m tools.install; fi
	@$(BIN)/python -m tools.install $(EXTRAS); s=$$?; \
	  if [ $$s -eq 0 ]; then touch $@; elif [ $$s -ne 3 ]; then exit $$s; fi

$(VENV)/.installed-wheels: $(VENV)/.installed requirements/extras.txt
	@$(BIN)/python -m tools.install wheels
	@touch $@
