package admission

import (
	"errors"
	"net"
	"time"
)

// Accept calls serve with each connection of a listener, until the listener is closed. It calls report with other
// errors, for example that no file descriptors are left, and waits a little after each of them.
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
