//go:build unix

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground tells whether a terminal is this process's to draw on: in the background of a shell its user types there.
func foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp() // it fails for a terminal of no shell
}
