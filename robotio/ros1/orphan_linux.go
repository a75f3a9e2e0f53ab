package ros1

import (
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// unanswered says whether a peer's kernel has left several packets in a row, over lostTime, without an answer. One
// whose process is stopped answers, and so does one that is slow.
func unanswered(conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var info *unix.TCPInfo
	_ = raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	if info == nil || err != nil {
		return false
	}
	const packets = 2 // resent, or keepalive's; the first ones may be lost on the way
	quiet := time.Duration(info.Last_ack_recv) * time.Millisecond
	return max(info.Retransmits, info.Probes) >= packets && quiet >= lostTime
}

// resetOnClose has the peer told, when f is closed, that the connection is over.
func resetOnClose(f *os.File) {
	_ = unix.SetsockoptLinger(int(f.Fd()), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
}

// dropUnanswered has the kernel close a connection on which what we sent stays unanswered for lostTime. For
// connections whose peer reads what comes: a stopped one would look the same.
func dropUnanswered(conn *net.TCPConn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(lostTime/time.Millisecond))
	})
}
