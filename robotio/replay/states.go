package replay

import (
	"io"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

// EachState calls do with the observed exact state of each step, from a time since the run began, until do fails. A
// state is valid during the call.
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

// eachState is EachState for one episode, from a step on.
func (r *Recording) eachState(episode int, first int64, do func(at time.Duration, s *physics.Snapshot) error) error {
	rows, err := r.rows("the recording", episode, first)
	if err != nil {
		return err
	}
	var last physics.Snapshot // the newest one of its step
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
