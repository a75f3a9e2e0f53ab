package rtps

import (
	"net/netip"
	"slices"
	"time"
)

// room is how much the receive buffer of a socket can take.
type room struct {
	free   int // bytes, when the kernel was last asked, less those sent since
	asked  time.Time
	debt   time.Duration // how long senders have waited lately
	silent time.Time     // until then, senders do not ask
}

const (
	roomAge  = 5 * time.Millisecond // time after which the kernel is asked again
	maxRooms = 1024                 // sockets that are remembered
	// A sender waits for a socket at most maxWait, and during two thirds of the time. The rest is enough for 20 topics
	// with images at 30 Hz, so a slow or stopped reader cannot take much from others.
	maxWait, maxDebt = 50 * time.Millisecond, 100 * time.Millisecond
	waitAgain        = time.Second      // after maxWait
	askAgain         = time.Second      // after the kernel could not tell
	shortWait        = time.Millisecond // a longer one passes the processor on
	// Bytes that are sent without a pause to a socket whose room is unknown. The default receive buffer of Linux holds
	// three fragments, and Fast DDS uses that. CycloneDDS asks for more, of which it gets at least twice the default.
	maxBurst        = 3 * fragmentSize
	maxBurstFastDDS = fragmentSize
)

// pace waits until the receive buffers of all destinations have room for a fragment of size bytes. The kernel reports
// the room of sockets on this machine. For others, a pause after each burst must do.
func (p *Participant) pace(dests []dest, size int) {
	blind := false
	for _, d := range dests {
		blind = !p.admits(d.to, size) && p.burst >= d.burst || blind
	}
	if blind {
		p.burst = 0
		pause()
	}
	p.burst += size
}

// admits waits until a socket has room for size bytes. It reports false if that is unknown, or if it takes too long.
func (p *Participant) admits(to netip.AddrPort, size int) bool {
	size += size / 16 // the kernel counts its own memory, too
	r := p.rooms[to]
	if r == nil {
		if len(p.rooms) >= maxRooms {
			clear(p.rooms)
		}
		r = &room{}
		p.rooms[to] = r
	}
	start := time.Now()
	switch {
	case r.free >= size && start.Sub(r.asked) < roomAge:
		r.free -= size
		return true
	case start.Before(r.silent):
		return false
	}
	if !to.Addr().IsLoopback() && !slices.Contains(p.local, to.Addr()) {
		r.silent = start.Add(askAgain)
		return false
	}
	r.debt = max(0, r.debt-2*start.Sub(r.asked))
	for before, now := start, start; ; before, now = now, time.Now() {
		r.debt += now.Sub(before)
		free, known := p.out.room(to)
		r.free, r.asked = free-size, now
		switch {
		case !known:
			r.silent = now.Add(askAgain)
			return false
		case free >= size:
			return true
		case now.Sub(start) > maxWait:
			r.silent = now.Add(waitAgain)
			return false
		case r.debt > maxDebt:
			r.silent = now.Add(maxDebt / 10)
			return false
		case now.Sub(start) < shortWait:
			pause()
		default:
			time.Sleep(shortWait / 2)
		}
	}
}
