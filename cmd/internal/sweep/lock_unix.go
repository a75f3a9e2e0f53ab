//go:build linux || darwin || freebsd || netbsd || openbsd

package sweep

import (
	"os"
	"syscall"
)

// lock keeps other processes out of a folder as long as the file is open.
func lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
