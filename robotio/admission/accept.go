package admission

import (
	"errors"
	"net"
	"time"
)

// Accept calls serve with each connection of a listener, until the listener is closed. It calls report with other
// errors, for example that no file descriptors are left, and waits 0.1 s after each of them. So it
// may return that much later than the listener is closed.
func Accept(l net.Listener, report func(error), serve func(net.Conn)) {
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			report(err)
			time.Sleep(100 * time.Millisecond)
		default:
			serve(conn)
		}
	}
}
