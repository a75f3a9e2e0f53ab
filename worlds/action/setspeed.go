package action

import (
	"errors"

	"github.com/omnipitch/omnipitch/timesync"
)

// SetSpeed sets the speed of the present run. At the start, the options of the run set its speed.
type SetSpeed struct {
	Speed string `toml:"speed" required:"true" doc:"speed, as in [time]: realtime, a factor such as \"0.5\", steady, max or lockstep"`
}

func (a *SetSpeed) Validate(w World) error {
	speed, err := timesync.ParseSpeed(a.Speed)
	switch {
	case err != nil:
		err = errors.Unwrap(err) // keeps the rule, without the key that ParseSpeed put before it
	case speed == timesync.Lockstep:
		err = w.FindAnswers()
	}
	return violation("speed", a.Speed, err)
}

func (a *SetSpeed) Do(s Simulation) error {
	speed, err := timesync.ParseSpeed(a.Speed)
	if err != nil {
		return err
	}
	return s.SetSpeed(speed)
}
