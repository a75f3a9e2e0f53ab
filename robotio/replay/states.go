package replay

import (
	"io"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
)

// EachState passes on the exact states that were observed, one of each step, from a time since the run began on, until
// do fails. A state is valid during the call.
func (r *Recording) EachState(from time.Duration, do func(at time.Duration, s *physics.Snapshot) error) error {
	for e := range r.Episodes {
		first := int64(0)
		if began := r.Episodes[e].Began; began < from {
			first = int64((from - began + r.World.Time.Step - 1) / r.World.Time.Step)
		}
		if first > r.Episodes[e].Steps {
			continue
		}
		if err := r.eachState(e, first, do); err != nil {
			return err
		}
	}
	return nil
}

// eachState passes on those of an episode, from a step on.
func (r *Recording) eachState(episode int, first int64, do func(at time.Duration, s *physics.Snapshot) error) error {
	rows, err := r.rows("the recording", episode, first)
	if err != nil {
		return err
	}
	var last physics.Snapshot // of its step so far
	for any := false; ; {
		err := rows.forward()
		if any && (err != nil || rows.step != last.Step) {
			if err := do(r.place(episode, last.Step).Time, &last); err != nil {
				return err
			}
			any = false
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if rows.step >= first && !rows.settled {
			rows.state.CopyTo(&last)
			any = true
		}
	}
}

// EachStep passes on the exact states of each step of an episode, until do fails: the one that the engine has left, and
// the one at the step's end, when bodies may have been placed. Both are valid during the call.
func (r *Recording) EachStep(episode int, do func(stepped, left *physics.Snapshot) error) error {
	rows, err := r.rows("the recording", episode, 0)
	if err != nil {
		return err
	}
	var stepped, left physics.Snapshot
	for any := false; ; any = true {
		err := rows.forward()
		if any && (err != nil || rows.step != left.Step) {
			if err := do(&stepped, &left); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !any || rows.step != left.Step {
			rows.state.CopyTo(&stepped)
		}
		rows.state.CopyTo(&left)
	}
}

// Restarts tells with which worlds the run has begun again, when that was asked for from outside.
func (r *Recording) Restarts() (all []*worlds.World) {
	for i := range r.inputs {
		if w := r.inputs[i].World; w != nil {
			all = append(all, w)
		}
	}
	return all
}
