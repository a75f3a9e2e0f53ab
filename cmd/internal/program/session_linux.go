package program

import "syscall"

// self is the path of this executable. It works even if another file has taken the executable's name since.
const self = "/proc/self/exe"

// inOwnSession starts a supervisor in its own session. Ctrl-C in the terminal then reaches only the run, which ends the
// programs after the simulation.
var inOwnSession = &syscall.SysProcAttr{Setsid: true}
