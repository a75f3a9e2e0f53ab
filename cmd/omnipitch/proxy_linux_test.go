package main

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Properties of a slow network in tests: the delay of a satellite link and the rate of a modem.
const (
	slowDelay = 100 * time.Millisecond
	slowRate  = 40_000 // bytes per second, each way
)

// proxy forwards the bytes of TCP connections late or never.
type proxy struct {
	address string
	delay   time.Duration // each way
	rate    float64       // bytes per second, each way; 0: unlimited
	held    atomic.Bool
	bytes   atomic.Int64 // number of forwarded bytes

	mu    sync.Mutex
	conns []net.Conn
}

// newProxy starts a proxy on an address of this machine.
func newProxy(t testing.TB, ip, to string) *proxy {
	t.Helper()
	l := must(net.Listen("tcp", net.JoinHostPort(ip, "0")))(t)
	p := &proxy{address: l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.connect(near, to) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.hold(false)
		p.mu.Lock()
		for _, c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		all.Wait()
	})
	return p
}

// hold stops or resumes forwarding.
func (p *proxy) hold(on bool) { p.held.Store(on) }

// connect joins two connections until one of them ends.
func (p *proxy) connect(near net.Conn, to string) {
	defer near.Close()
	far, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err != nil {
		return
	}
	defer far.Close()
	p.mu.Lock()
	p.conns = append(p.conns, near, far)
	p.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [2][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			p.carry(way[0], way[1])
			near.Close()
			far.Close()
		})
	}
	both.Wait()
}

// parcel is a chunk of bytes from one read.
type parcel struct {
	bytes []byte
	due   time.Time
}

// carry forwards bytes one way, in order.
func (p *proxy) carry(from io.Reader, to io.Writer) {
	parcels := make(chan parcel, 64)
	gone := make(chan struct{})
	go func() {
		defer close(parcels)
		for {
			b := make([]byte, 4096)
			n, err := from.Read(b)
			if n > 0 {
				select {
				case parcels <- parcel{b[:n], time.Now().Add(p.delay)}:
				case <-gone:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	defer close(gone)
	for it := range parcels {
		time.Sleep(time.Until(it.due))
		if p.rate > 0 {
			time.Sleep(time.Duration(float64(len(it.bytes)) / p.rate * float64(time.Second)))
		}
		for p.held.Load() {
			time.Sleep(10 * time.Millisecond)
		}
		if _, err := to.Write(it.bytes); err != nil {
			return
		}
		p.bytes.Add(int64(len(it.bytes)))
	}
}
