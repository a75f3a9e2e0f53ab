package program

import "syscall"

// self is this executable, even when another file has taken its name.
const self = "/proc/self/exe"

// inOwnSession keeps a terminal's Ctrl-C from a supervisor: the run ends the programs when it has ended itself.
var inOwnSession = &syscall.SysProcAttr{Setsid: true}
