//go:build unix

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports whether this process is in the foreground of a terminal. In the background it must not draw,
// because the user types there.
func foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp() // it fails if the terminal belongs to no shell
}
