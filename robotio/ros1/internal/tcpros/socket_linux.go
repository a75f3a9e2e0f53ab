package tcpros

import (
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// answerTime is an upper bound of a round trip. A guess, for radio links.
const answerTime = 200 * time.Millisecond

// sending returns the kernel's state of a connection. The machine of a stopped or slow peer still answers. Source:
// Linux, tcp(7) and tcp_timer.c.
func sending(conn *net.TCPConn) (s sendState) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return s
	}
	var info *unix.TCPInfo
	_ = raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	if info == nil || err != nil {
		return s
	}
	ms := func(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }
	sent := ms(info.Last_data_sent)
	s.quiet = ms(info.Last_ack_recv)
	// Data resent a moment ago may still be answered, and a full receiver answers data that it cannot take.
	resent := info.Retransmits >= 1 && sent >= answerTime && s.quiet > sent
	s.unanswered = s.quiet >= LostTime && (resent || info.Probes >= 2)
	s.waiting = info.Unacked > 0 || info.Notsent_bytes > 0
	s.acked = int64(info.Bytes_acked)
	return s
}

// ResetOnClose resets the connection when f is closed, so that the peer notices.
func ResetOnClose(f *os.File) {
	_ = unix.SetsockoptLinger(int(f.Fd()), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
}

// DropUnanswered makes the kernel close a connection when sent data are unanswered for LostTime. It is for connections
// whose peer reads at once, because a stopped peer looks the same.
func DropUnanswered(conn *net.TCPConn) {
	setOption(conn, unix.TCP_USER_TIMEOUT, int(LostTime/time.Millisecond))
}

// MaxUnsent is about the number of bytes that the kernel buffers for a connection, if there are many. A guess: enough
// to keep a fast connection busy.
const MaxUnsent = 128 << 10

// LimitUnsent makes the kernel buffer few unsent bytes. Otherwise it buffers some MB for each subscriber that does not
// read, until that is detected.
func LimitUnsent(conn *net.TCPConn) {
	setOption(conn, unix.TCP_NOTSENT_LOWAT, MaxUnsent)
}

// setOption sets a TCP option of an open connection.
func setOption(conn *net.TCPConn, option, value int) {
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, option, value) })
	}
}
