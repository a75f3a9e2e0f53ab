//go:build unix

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports whether this process is in the foreground of the terminal f. A process in the background must not
// write a status line, because the user types into the same terminal.
func foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp() // an error means that the terminal belongs to no shell
}
