//go:build !linux

package tcpros

import (
	"net"
	"os"
)

// Elsewhere the kernel's own keepalive decides, a peer out of reach notices by its own, and which subscribers take
// nothing is not known.
func sending(*net.TCPConn) sendState { return sendState{} }

func ResetOnClose(*os.File) {}

func DropUnanswered(*net.TCPConn) {}

func LimitUnsent(*net.TCPConn) {}
