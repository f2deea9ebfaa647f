# SPDX-License-Identifier: Apache-2.0
# Pictures of the READMEs: make docs draws them, the test says whether they are of this RTL.

WAVES := rtl/router/waves
TESTS += $(WAVES)/test/waves_test.sh
DOCS += docs-waves rtl/router/pipeline.svg
.PHONY: docs-waves

$(B)/docs/stamp: rtl/router/docs.mk
	@python3 -m venv $(B)/docs && $(B)/docs/bin/pip -q install wavedrom==2.0.3.post3 || { \
	    echo 'docs: wavedrom could not be installed (is there a network?)' >&2; exit 1; }
	@touch $@

docs-waves: $(B)/docs/stamp
	@sh $(WAVES)/draw.sh json $(WAVES)
	@WAVEDROM=$(B)/docs/bin/wavedrompy sh $(WAVES)/draw.sh svg $(WAVES)/*.json

rtl/router/pipeline.svg: rtl/router/pipeline.dot
	@dot -Tsvg $< > $@ && printf '<!-- %s -->\n' "$$(sha256sum < $< | cut -c 1-64)" >> $@
