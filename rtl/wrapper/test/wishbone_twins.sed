# The slave without a protection each, by +twin=N
s/^    logic strobe, whole, good;/&\n    int twin;\n    initial if (!$value$plusargs("twin=%d", twin)) twin = 0;/
s/&wb_sel && room;/\&wb_sel \&\& (room || twin == 1);/
s/takes = does &&/takes = (does || (strobe \&\& good \&\& twin == 2)) \&\&/
s/^  *keep_q  *<= '1;/if (twin != 3) &/
s/wb_cyc && wb_stb && !wb_ack/wb_cyc \&\& wb_stb \&\& (!wb_ack || twin == 4)/
s/is_end = |chosen\[ENDS-1:0\]/& || twin == 5/
s/strobe = wb_cyc/strobe = (wb_cyc || twin == 6)/
s/ && wb_dat_w <= W'(BYTES)/ \&\& (wb_dat_w <= W'(BYTES) || twin == 7)/
s/= &wb_sel &&/= (\&wb_sel || twin == 8) \&\&/
