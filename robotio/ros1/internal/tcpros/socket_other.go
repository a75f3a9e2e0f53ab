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

// direct writes to a socket without blocking. On systems other than Linux it writes nothing, and goroutines write
// everything.
type direct struct{}

func (d *direct) open(*net.TCPConn) {}

func (d *direct) ok() bool { return false }

func (d *direct) write(*Message) (int, error) { return 0, nil }
