package xmlrpc

import (
	"io"
	"log"
	"net"
	"sync"
)

// discardLog swallows net/http's notes about peers that misbehave: they get an answer or lose their
// connection, and that is all there is to say.
var discardLog = log.New(io.Discard, "", 0)

// limit returns a listener that holds at most n connections open; further ones wait in the kernel.
func limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), done: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: c, free: func() { <-l.slots }}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	once sync.Once
	free func()
}

func (c *limitedConn) Close() error {
	defer c.once.Do(c.free)
	return c.Conn.Close()
}
