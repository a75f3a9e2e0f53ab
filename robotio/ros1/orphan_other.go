//go:build !linux

package ros1

import (
	"net"
	"os"
)

// Elsewhere the kernel's own keepalive decides, and a peer out of reach notices by its own.
func unanswered(*net.TCPConn) bool { return false }

func resetOnClose(*os.File) {}

func dropUnanswered(*net.TCPConn) {}
