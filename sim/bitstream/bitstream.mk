# SPDX-License-Identifier: Apache-2.0
# Decoded bitstreams: `make bitstream-test BOARD=name` (README.md), and in `make soak`.
SOAK += $(B)/tests/bitstream_soak

.PHONY: bitstream-test
BITSTREAM_TEST := $(B)/constraints/board $(B)/firmware/flash.bin $(B)/bin/torusctl
bitstream-test: $(BITSTREAM_TEST)
	@$(B)/constraints/board facts '$(BOARD)' > /dev/null && \
	    sh sim/bitstream/bitstream_test.sh '$(BOARD)'

$(B)/tests/bitstream_soak: $(BITSTREAM_TEST)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec sh sim/bitstream/bitstream_test.sh ice40hx8k-b-evn\n' > $@ && chmod +x $@
