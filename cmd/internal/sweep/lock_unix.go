//go:build linux || darwin || freebsd || netbsd || openbsd

package sweep

import (
	"os"
	"syscall"
)

// lock locks a file against other processes until the file is closed.
func lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
