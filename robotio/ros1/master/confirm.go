package master

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// Wall times of checking which processes answer. Guesses.
const (
	reachTime  = 1500 * time.Millisecond // to reach a process
	againTime  = time.Second             // between two attempts at one that was not reached
	reviewTime = 10 * time.Second        // between two attempts at one that was, while registrations are many
	// after which a process is dead whose machine does not answer; after a refusal it is at once
	deadTime = time.Minute
)

// maxDials bounds the attempts at a time; those at addresses of this machine do not count. A guess.
const maxDials = 64

// manyRegistrations is the number from which on confirmed processes are checked again.
const manyRegistrations = maxRegistrations / 2

// confirm checks, beside the call, whether a process answers at a node's address and, with many registrations, whether
// confirmed ones still do. The caller holds the lock.
func (m *Master) confirm(uri string) {
	now := m.now()
	if p := m.reg.processes.byAddr[address(uri)]; p != nil && !p.confirmed {
		m.dial(p, now, againTime)
	}
	if m.reg.processes.confirmed < manyRegistrations || now.Sub(m.reviewed) < reviewTime {
		return
	}
	m.reviewed = now
	for _, p := range m.reg.processes.byAddr {
		if p.confirmed {
			m.dial(p, now, reviewTime)
		}
	}
}

// dial tries to reach a process, unless it was tried a moment ago or too many others are being tried.
func (m *Master) dial(p *process, now time.Time, pause time.Duration) {
	host, _, err := net.SplitHostPort(p.addr)
	if err != nil || p.dialing || !p.dialed.IsZero() && now.Sub(p.dialed) < pause || m.ctx.Err() != nil {
		return
	}
	elsewhere := 0
	if !local(host) {
		elsewhere = 1
	}
	if m.dials+elsewhere > maxDials {
		return
	}
	m.dials += elsewhere
	p.dialing, p.dialed = true, now
	m.wait.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, reachTime)
		defer cancel()
		err := m.reach(ctx, p.addr)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.dials -= elsewhere
		p.dialing = false
		m.reached(p, err)
	})
}

// reached notes what an attempt to reach a process has shown. The caller holds the lock.
func (m *Master) reached(p *process, err error) {
	s := &m.reg.processes
	switch {
	case s.byAddr[p.addr] != p: // removed meanwhile
	case err == nil:
		if p.alive = m.now(); !p.confirmed {
			s.confirm(p, true)
		}
	case p.confirmed && (errors.Is(err, syscall.ECONNREFUSED) || m.now().Sub(p.alive) > deadTime):
		s.confirm(p, false)
		for s.unconfirmed > maxUnconfirmed {
			m.evict(s.oldest(nil))
		}
	}
}

// evict removes an unconfirmed process and its registrations. The caller holds the lock.
func (m *Master) evict(p *process) {
	m.log.Warn("ros master: registrations dropped: nobody answers there, and they are too many", "at", p.addr, "names",
		p.registrations)
	for name := range p.nodes {
		for _, t := range m.reg.purge(name) {
			m.publishersChanged(t)
		}
	}
}

// reach fails where nothing listens at an address.
func reach(ctx context.Context, addr string) error {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err == nil {
		c.Close()
	}
	return err
}
