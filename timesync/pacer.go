package timesync

import (
	"context"
	"time"
)

// maxLag is how far a run may fall behind before the lost time is given up. Shorter hiccups are caught up with, so
// that the real-time factor stays right; longer ones (a suspended laptop) must not be followed by minutes of rush.
const maxLag = 250 * time.Millisecond

// Pacer makes sim time wait for wall time.
type Pacer struct {
	wall     Wall
	speed    Speed
	began    time.Duration // wall time of NewPacer
	anchored bool
	simZero  time.Duration // at this sim time …
	wallZero time.Duration // … it was this wall time
}

// NewPacer returns a pacer whose first Wait returns at once and sets the pace's origin.
func NewPacer(wall Wall, speed Speed) *Pacer {
	return &Pacer{wall: wall, speed: speed, began: wall.Now()}
}

// Elapsed returns the wall time since NewPacer.
func (p *Pacer) Elapsed() time.Duration { return p.wall.Now() - p.began }

// Wait returns when the given sim time is due, or when ctx ends. Sim times must not decrease.
func (p *Pacer) Wait(ctx context.Context, sim time.Duration) {
	if p.speed == Max {
		return
	}
	now := p.wall.Now()
	if !p.anchored {
		p.simZero, p.wallZero, p.anchored = sim, now, true
		return
	}
	due := p.wallZero + time.Duration(float64(sim-p.simZero)/float64(p.speed))
	if lag := now - due; lag > maxLag {
		p.wallZero += lag
		return
	}
	p.wall.Sleep(ctx, due-now)
}
