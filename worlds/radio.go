package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Stations returns the robots as their radios see them, in their order.
func (w *World) Stations() []radio.Station {
	all := make([]radio.Station, len(w.Robots))
	for i := range w.Robots {
		r := &w.Robots[i]
		all[i] = radio.Station{Robot: r.Name, Team: r.Team, Config: r.Radio}
	}
	return all
}

// radios reports topics that mates have with different types.
func (w *World) radios() error {
	var errs []error
	for i := range w.Robots {
		r := &w.Robots[i]
		for k := range w.Robots[:i] {
			mate := &w.Robots[k]
			if r.Radio == nil || mate.Radio == nil || r.Team != mate.Team {
				continue
			}
			if v, ok := errors.AsType[*schema.Violation](r.Radio.Agree(mate.Radio, mate.Name)); ok {
				v.Path = fmt.Sprintf("robot[%d].radio.%s", i, v.Path)
				errs = append(errs, v)
				break
			}
		}
	}
	return errors.Join(errs...)
}

// FindRadios implements action.World.
func (w *World) FindRadios(robot string, team physics.Team) error {
	for i := range w.Robots {
		if r := &w.Robots[i]; r.Radio != nil && (robot == "" || r.Name == robot) && (team == "" || r.Team == team) {
			return nil
		}
	}
	return errors.New("has no radio")
}
