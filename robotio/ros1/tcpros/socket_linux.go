package tcpros

import (
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// answerTime is longer than an answer takes, if any arrives. A guess, for radio links.
const answerTime = 200 * time.Millisecond

// sending asks the kernel for the state of a connection. A stopped or slow peer's machine still answers.
// Source: Linux, tcp(7) and tcp_timer.c.
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
	// What was resent a moment ago may be answered yet, and a full receiver answers what it cannot take.
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

// DropUnanswered has the kernel close a connection on which what we sent stays unanswered for LostTime. For
// connections whose peer reads what comes: a stopped one would look the same.
func DropUnanswered(conn *net.TCPConn) {
	setOption(conn, unix.TCP_USER_TIMEOUT, int(LostTime/time.Millisecond))
}

// MaxUnsent is about how many bytes the kernel takes that it cannot send yet, where peers are many. A guess: what keeps
// a fast connection busy.
const MaxUnsent = 128 << 10

// LimitUnsent has the kernel take few bytes that it cannot send: else it takes some MB for every subscriber that does
// not read, until that is found out.
func LimitUnsent(conn *net.TCPConn) {
	setOption(conn, unix.TCP_NOTSENT_LOWAT, MaxUnsent)
}

// setOption sets an option of TCP, on a connection that is not closed.
func setOption(conn *net.TCPConn, option, value int) {
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, option, value) })
	}
}
