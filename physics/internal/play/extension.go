package play

import "github.com/omnipitch/omnipitch/physics"

// extensionTimer enforces the time limits of a goalkeeper's extension. The zero value is ready.
type extensionTimer struct {
	now  physics.ExtensionState
	out  float64 // time since the extension was extended, s
	rest float64 // time until the extension may be extended again, s
}

// update returns the state of the extension during a step of dt seconds. The plate extends at once. It retracts on
// command or after its longest time.
func (t *extensionTimer) update(f *physics.KeeperExtension, asked physics.ExtensionState,
	dt float64) physics.ExtensionState {
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
