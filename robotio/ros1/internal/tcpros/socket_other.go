//go:build !linux

package tcpros

import (
	"net"
	"os"
)

// On other systems, the kernel's keepalive detects lost peers on both sides. Subscribers that do not read are not
// detected.
func sending(*net.TCPConn) sendState { return sendState{} }

func ResetOnClose(*os.File) {}

func DropUnanswered(*net.TCPConn) {}

func LimitUnsent(*net.TCPConn) {}
