package replay

import (
	"io"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

// EachState calls the function do with the observed exact state of each step, starting at the time from, which is
// counted from the beginning of the run. EachState stops when do returns an error, and returns this error. The state s
// is valid only during the call of do.
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

// eachState does the same as EachState for one episode, starting at the step first.
func (r *Recording) eachState(episode int, first int64, do func(at time.Duration, s *physics.Snapshot) error) error {
	rows, err := r.rows("the recording", episode, first)
	if err != nil {
		return err
	}
	var last physics.Snapshot // the newest state of its step
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
