package ros1

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// direct writes to a socket without ever waiting for it.
type direct struct {
	raw  syscall.RawConn
	call func(fd uintptr) bool // made once: a closure for each frame would be allocated
	vec  [2][]byte
	n    int
	err  error
}

func (d *direct) open(conn *net.TCPConn) {
	raw, err := conn.SyscallConn()
	if err != nil { // closed already
		return
	}
	d.raw = raw
	d.call = func(fd uintptr) bool {
		d.n, d.err = unix.Writev(int(fd), d.vec[:])
		return true // even where it would block
	}
}

func (d *direct) ok() bool { return d.raw != nil }

// write sends what the socket's buffer takes of a frame and returns the number of bytes, one caller at a time.
func (d *direct) write(f *frame) (int, error) {
	d.vec = [2][]byte{f.head, f.tail}
	d.n, d.err = 0, nil
	err := d.raw.Write(d.call)
	d.vec = [2][]byte{}
	if err == nil {
		err = d.err
	}
	switch err {
	case unix.EAGAIN, unix.EINTR:
		return 0, nil
	case nil:
		return d.n, nil
	}
	return 0, err
}
