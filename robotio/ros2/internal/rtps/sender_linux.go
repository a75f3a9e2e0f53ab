package rtps

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxParts is the number of pieces of memory of which a datagram may consist.
const maxParts = 5

// sender sends datagrams that are gathered from several pieces of memory. One goroutine may use it.
type sender struct {
	fd     int
	header unix.Msghdr
	addr   unix.RawSockaddrInet4
	pieces [maxParts]unix.Iovec

	diag     int // socket that answers questions about sockets; -1: none
	question [diagSize]byte
	answer   [512]byte
}

// newSender opens a socket. If it is not wide, its datagrams stay on this machine. If it is near, they reach all
// addresses of this machine.
func newSender(wide, near bool) (*sender, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	s := &sender{fd: fd, diag: -1}
	if diag, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK,
		unix.NETLINK_INET_DIAG); err == nil {
		s.diag = diag
	}
	s.addr.Family = unix.AF_INET
	s.header.Name, s.header.Namelen = (*byte)(unsafe.Pointer(&s.addr)), unix.SizeofSockaddrInet4
	s.header.Iov = &s.pieces[0]
	if !wide && !near {
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback.As4()})
	}
	if err == nil { // a full interface queue must not hold up the end of the program
		err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Usec: 10_000})
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("socket to send: %w", err)
	}
	return s, nil
}

// send sends a datagram. It ignores errors, because the network may lose datagrams too.
func (s *sender) send(to netip.AddrPort, parts ...[]byte) {
	n := 0
	for _, p := range parts {
		if len(p) > 0 {
			s.pieces[n].Base = &p[0]
			s.pieces[n].SetLen(len(p))
			n++
		}
	}
	s.header.SetIovlen(n)
	s.addr.Addr = to.Addr().As4()
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&s.addr.Port))[:], to.Port())
	message := uintptr(unsafe.Pointer(&s.header))
	_, _, e := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(s.fd), message, unix.MSG_DONTWAIT)
	for i := 0; i < 3 && (e == unix.EAGAIN || e == unix.EINTR); i++ { // the interface's queue is full, or a signal came
		_, _, e = unix.Syscall(unix.SYS_SENDMSG, uintptr(s.fd), message, 0)
	}
	clear(s.pieces[:n]) // keep nothing alive
}

// multicast sends a datagram to a group on each of the interfaces.
func (s *sender) multicast(to netip.AddrPort, interfaces []int, datagram []byte) {
	for _, i := range interfaces {
		request := &unix.IPMreqn{Ifindex: int32(i)}
		if unix.SetsockoptIPMreqn(s.fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, request) == nil {
			s.send(to, datagram)
		}
	}
}

func (s *sender) close() {
	_ = unix.Close(s.fd)
	if s.diag >= 0 {
		_ = unix.Close(s.diag)
	}
}

// A question of sock_diag(7) about a socket has a netlink header of 16 bytes and a struct inet_diag_req_v2. The answer
// has a header, a struct inet_diag_msg, and attributes. Source: linux/inet_diag.h, linux/sock_diag.h.
const (
	diagSize       = 16 + 56
	diagAnswer     = 16 + 72
	diagByFamily   = 20 // SOCK_DIAG_BY_FAMILY
	diagMemory     = 7  // INET_DIAG_SKMEMINFO
	memoryUsed     = 0  // index of SK_MEMINFO_RMEM_ALLOC
	memoryOfBuffer = 1  // index of SK_MEMINFO_RCVBUF
)

// room returns how many bytes the receive buffer of the socket at an address of this machine has free.
func (s *sender) room(at netip.AddrPort) (free int, known bool) {
	if s.diag < 0 {
		return 0, false
	}
	order, addr := binary.NativeEndian, at.Addr().As4()
	q := s.question[:]
	order.PutUint32(q, diagSize)
	order.PutUint16(q[4:], diagByFamily)
	order.PutUint16(q[6:], unix.NLM_F_REQUEST)
	q[16], q[17], q[18] = unix.AF_INET, unix.IPPROTO_UDP, 1<<(diagMemory-1)
	order.PutUint32(q[20:], 0xffffffff)           // in all states
	binary.BigEndian.PutUint16(q[26:], at.Port()) // after the port of the sender, which may be any
	copy(q[44:], addr[:])
	order.PutUint64(q[64:], 0xffffffff_ffffffff) // without knowing the socket's cookie
	_, _, e := unix.RawSyscall(unix.SYS_WRITE, uintptr(s.diag), uintptr(unsafe.Pointer(&q[0])), diagSize)
	if e != 0 {
		return 0, false
	}
	n, _, e := unix.RawSyscall(unix.SYS_READ, uintptr(s.diag), uintptr(unsafe.Pointer(&s.answer[0])),
		uintptr(len(s.answer)))
	if e != 0 || n < diagAnswer || order.Uint16(s.answer[4:]) != diagByFamily {
		return 0, false
	}
	for b := s.answer[diagAnswer:n]; len(b) >= 4; {
		size := int(order.Uint16(b))
		if size < 4 || size > len(b) {
			break
		}
		if v := b[4:size]; order.Uint16(b[2:]) == diagMemory && len(v) >= 8 {
			return int(order.Uint32(v[4*memoryOfBuffer:])) - int(order.Uint32(v[4*memoryUsed:])), true
		}
		b = b[min(padded(size), len(b)):]
	}
	return 0, false
}

// pause waits for 50 to 60 µs, the least that Linux waits by default. Package time would wait for a millisecond. With
// a real-time priority, a wait is shorter. Like send, pause does not tell Go's scheduler that it waits: to pass the
// processor on and to get it back costs more time than it lasts.
func pause() {
	wait := unix.Timespec{Nsec: 1000}
	for start := time.Now(); time.Since(start) < 45*time.Microsecond; {
		_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&wait)), 0, 0)
	}
}

// listenNear returns a socket that receives only what comes from this machine, which has the given addresses.
func listenNear(a netip.AddrPort, local []netip.Addr) (*net.UDPConn, error) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(a))
	if err != nil {
		return nil, err
	}
	if err := dropOthers(conn, local); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// dropOthers makes the kernel drop datagrams for a socket whose source is neither loopback nor one of the given
// addresses of this machine. It drops forged ones with such a source by itself when they come from outside.
func dropOthers(conn *net.UDPConn, local []netip.Addr) error {
	const netOffset = 0xfff00000         // SKF_NET_OFF: offsets from here on are those in the IP header
	local = local[:min(len(local), 200)] // jumps have 8 bits
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: netOffset + 12}}
	for i, a := range local {
		b := a.As4()
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
			K: binary.BigEndian.Uint32(b[:]), Jt: uint8(len(local) - i + 1)})
	}
	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xff000000},
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 127 << 24, Jf: 1},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 1<<32 - 1},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0})
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
			&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	})
	return errors.Join(failed, err)
}

// joinGroup returns a socket that receives only datagrams to a group, on the given interfaces.
func joinGroup(addr netip.AddrPort, interfaces []int) (*net.UDPConn, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), "udp "+addr.String())
	defer file.Close() // the connection has a copy
	to := addr.Addr().As4()
	if err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err == nil {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0) // none from other interfaces
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: to})
	}
	if err == nil {
		err = errors.New("no interface can join")
		for _, i := range interfaces {
			if unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP,
				&unix.IPMreqn{Multiaddr: to, Ifindex: int32(i)}) == nil {
				err = nil
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("multicast group %v: %w", addr, err)
	}
	conn, err := net.FilePacketConn(file)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UDPConn), nil
}
