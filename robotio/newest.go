package robotio

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// newest is a copy of the newest state, for services, which run in goroutines of their own.
type newest struct {
	mu    sync.Mutex
	truth physics.Snapshot
	posts int           // actions that the goroutine that steps has not yet carried out
	none  chan struct{} // closed when posts becomes 0; nil while it is 0
}

// set copies the state. The goroutine that steps calls it.
func (n *newest) set(truth *physics.Snapshot) {
	n.mu.Lock()
	truth.CopyTo(&n.truth)
	n.mu.Unlock()
}

// refreshAfter makes set run once the goroutine that steps has carried out actions that Post has just received. It does
// nothing if they change no body.
func (n *newest) refreshAfter(sim *omnipitch.Sim, actions []action.Action) {
	if !slices.ContainsFunc(actions, func(a action.Action) bool { return !action.Anytime(a) }) {
		return
	}
	n.mu.Lock()
	if n.posts++; n.posts == 1 {
		n.none = make(chan struct{})
	}
	n.mu.Unlock()
	sim.Clock().After(0, func(time.Duration) {
		n.set(sim.Truth())
		n.mu.Lock()
		if n.posts--; n.posts == 0 {
			close(n.none)
		}
		n.mu.Unlock()
	})
}

// state returns a copy of the newest state. It first waits for actions that have been posted, so that a program sees
// what it has just placed. It does not wait if steps may wait for that program, nor after ctx has ended.
func (n *newest) state(ctx context.Context, sim *omnipitch.Sim) *physics.Snapshot {
	n.mu.Lock()
	defer n.mu.Unlock()
	if none := n.none; n.posts > 0 && len(sim.World().Time.WaitFor) == 0 {
		n.mu.Unlock()
		select {
		case <-none:
		case <-ctx.Done():
		}
		n.mu.Lock()
	}
	return n.truth.Clone()
}
