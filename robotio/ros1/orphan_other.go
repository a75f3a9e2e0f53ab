//go:build !linux

package ros1

import (
	"net"
	"os"
)

// Elsewhere the kernel's own keepalive decides, a peer out of reach notices by its own, and which subscribers take nothing is
// not known.
func sending(*net.TCPConn) sendState { return sendState{} }

func resetOnClose(*os.File) {}

func dropUnanswered(*net.TCPConn) {}

func limitUnsent(*net.TCPConn) {}
