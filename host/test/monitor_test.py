#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torusctl monitor under a pseudo-terminal: monitor_test.py HOW COMMAND...

HOW: q (quit by its key), TERM, INT (by signal), count (it ends by itself). Prints "shown" once it
shows something, and at its end what was on the screen, without the control sequences; exit status
0: it ended with status 0 in time, the terminal is as it was, and the first screen is back.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

how, command = sys.argv[1], sys.argv[2:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
before = termios.tcgetattr(slave)
child = os.fork()
if child == 0:
    os.close(master)
    os.login_tty(slave) if hasattr(os, "login_tty") else (
        os.setsid(), fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        [os.dup2(slave, fd) for fd in range(3)])
    os.environ["TERM"] = "xterm"
    os.execvp(command[0], command)
output, end, asked, status, raw = b"", time.monotonic() + 300, None, None, False
while time.monotonic() < end:
    if select.select([master], [], [], 0.05)[0]:
        try:
            output += os.read(master, 65536)
        except OSError:
            pass
    raw = raw or not termios.tcgetattr(slave)[3] & termios.ECHO
    if b"packets: injected" in output and asked is None:
        asked = time.monotonic()
        print("shown", flush=True)
        if how == "q":
            os.write(master, b"vq")
        elif how != "count":
            os.kill(child, getattr(signal, "SIG" + how))
    done, code = os.waitpid(child, os.WNOHANG)
    if done:
        status = code
        while select.select([master], [], [], 0.2)[0]:
            output += os.read(master, 65536)
        break
if status is None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
shown = b"packets: injected" in output  # or asked: one that ends by itself may have done so meanwhile
text = re.sub(rb"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()][0-9A-B]|[=>])", b" ", output)
print(text.decode(errors="replace"))
after = termios.tcgetattr(slave)
print("status", status, "shown", shown, "raw", raw, "as before", before == after,
      "first screen", output.rfind(b"\x1b[?1049l") > output.rfind(b"\x1b[?1049h") >= 0)
# Likewise.
sys.exit(not (status == 0 and shown and (raw or how == "count") and before == after and
              output.rfind(b"\x1b[?1049l") > output.rfind(b"\x1b[?1049h") >= 0))
