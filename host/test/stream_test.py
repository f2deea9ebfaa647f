# SPDX-License-Identifier: Apache-2.0
# stream_test.py TORUSCTL: what torusctl makes of a serial line, at the other end of a pseudo-terminal.
# A line for each thing that is wrong; exit status 1.
import fcntl, os, select, struct, subprocess, sys, termios

torusctl, wrong = sys.argv[1], []
TCGETS2 = 0x802C542A


def expect(good, what):
    if not good:
        wrong.append(what)


def ping(line, *more):
    command = [torusctl, "-t", "tty:" + line, "--timeout", "60", *more, "ping"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def settings(slave):
    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(slave)
    # struct termios2, whose last two words are the rates in bits a second
    speeds = struct.unpack("IIIIB19sII", fcntl.ioctl(slave, TCGETS2, bytes(44)))[6:]
    return {
        "speeds": speeds,
        "flow": bool(cflag & termios.CRTSCTS) or bool(iflag & (termios.IXON | termios.IXOFF)),
        "8N1": cflag & (termios.CSIZE | termios.PARENB | termios.CSTOPB) == termios.CS8,
        "raw": not lflag & (termios.ICANON | termios.ECHO | termios.ISIG)
        and not oflag & termios.OPOST
        and not iflag & (termios.ICRNL | termios.INLCR | termios.ISTRIP),
    }


for baud in None, "3000000", "250000":
    master, slave = os.openpty()
    line = os.ttyname(slave)
    before = termios.tcgetattr(slave)
    before[2] |= termios.CRTSCTS
    before[4] = before[5] = termios.B9600
    termios.tcsetattr(slave, termios.TCSANOW, before)
    before = termios.tcgetattr(slave)
    first = ping(line, *(["--baud", baud] if baud else []))
    # It has set the line when its first frame comes.
    expect(select.select([master], [], [], 120)[0], "nothing is sent")
    expect(os.read(master, 100)[:1] == b"\xa5", "no frame is sent")
    now = settings(slave)
    rate = int(baud or 115200)
    wanted = {"speeds": (rate, rate), "flow": False, "8N1": True, "raw": True}
    expect(now == wanted, "the line is set to %s, not %s" % (now, wanted))
    second = ping(line)
    out, error = second.communicate(timeout=120)
    expect(second.returncode == 2 and not out, "a second process ends with %d" % second.returncode)
    expect(len(error.splitlines()) == 1 and "in use by process" in error and " %d (torusctl)" % first.pid in error
           and "end that first" in error, "a second process is told: " + error)
    first.terminate()
    first.wait()
    third = ping(line)  # a killed one leaves no lock
    expect(select.select([master], [], [], 120)[0], "a third process does not get the line")
    os.close(master)
    os.close(slave)
    error = third.communicate(timeout=120)[1]
    expect(third.returncode == 2 and len(error.splitlines()) == 1, "unplugged: " + error)

for what in wrong:
    print("# " + what)
sys.exit(bool(wrong))
