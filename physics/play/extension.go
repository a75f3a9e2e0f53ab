package play

import "github.com/omnipitch/omnipitch/physics"

// frameTimer keeps a goalkeeper's frame within what the rules allow. The zero value is ready.
type frameTimer struct {
	now  physics.ExtensionState
	out  float64 // seconds since it came out
	rest float64 // seconds until it may again
}

// update returns where the frame is during a step of dt seconds. It comes out at once, and goes back when it is told to or
// has been out for as long as it may.
func (t *frameTimer) update(f *physics.KeeperExtension, asked physics.ExtensionState, dt float64) physics.ExtensionState {
	if t.now != physics.NotExtended {
		t.out += dt
		if asked != t.now || t.out > f.Hold.Seconds()-dt/2 {
			t.now, t.rest = physics.NotExtended, f.Rest.Seconds()
		}
		return t.now
	}
	if t.rest > 0 {
		t.rest -= dt
	}
	if asked != physics.NotExtended && t.rest <= dt/2 {
		t.now, t.out = asked, 0
	}
	return t.now
}
