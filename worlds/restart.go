package worlds

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/worlds/radio"
)

// Replaces returns an error if a running simulation of another world cannot restart with the world w. It cannot if the
// worlds differ in properties that robots' programs rely on.
func (w *World) Replaces(running *World) error {
	const rule = ": a simulation that runs cannot change that: start it anew"
	switch {
	case running.Time.Step != w.Time.Step:
		return fmt.Errorf("time.step_ms = %v: was %v%s", w.Time.Step.Seconds()*1e3, running.Time.Step.Seconds()*1e3,
			rule)
	case running.Time.ClockRate != w.Time.ClockRate || !reflect.DeepEqual(running.Time.WaitFor, w.Time.WaitFor):
		return errors.New("time: clock_hz or wait_for was another" + rule)
	case len(running.Robots) != len(w.Robots):
		return fmt.Errorf("%d robots: there were %d%s", len(w.Robots), len(running.Robots), rule)
	}
	for i := range running.Robots {
		a, b := &running.Robots[i], &w.Robots[i]
		if a.Name != b.Name || a.Team != b.Team || a.Number != b.Number || !reflect.DeepEqual(a.ROS1, b.ROS1) ||
			!reflect.DeepEqual(a.ROS2, b.ROS2) || !sameTopics(a.Radio, b.Radio) || len(a.Sensors) != len(b.Sensors) {
			return fmt.Errorf("robot[%d]: its name, team, number, ros1, ros2, topics of its radio or number of sensors was "+
				"another%s", i, rule)
		}
		for k := range a.Sensors {
			x, y := a.Sensors[k], b.Sensors[k]
			if x.Level = y.Level; !reflect.DeepEqual(x, y) {
				return fmt.Errorf("robot[%d].sensor[%d]: differs in more than its level%s", i, k, rule)
			}
		}
	}
	return nil
}

// sameTopics reports whether two radios have the same topics; nil means no radio.
func sameTopics(a, b *radio.Config) bool {
	return (a == nil) == (b == nil) && (a == nil || slices.Equal(a.Topics, b.Topics))
}

// Reseeded returns the same world with another seed, or the world itself if seed is nil. Sensors keep their initial
// levels, which may have been changed after the file was read. Reseeded returns the error of ctx if ctx ends while it
// draws random values.
func (w *World) Reseeded(ctx context.Context, seed *uint64) (*World, error) {
	if seed == nil {
		return w, nil
	}
	again, _, err := w.Draw(ctx, *seed)
	if err != nil {
		return nil, err
	}
	for i := range min(len(w.Robots), len(again.Robots)) {
		for k := range min(len(w.Robots[i].Sensors), len(again.Robots[i].Sensors)) {
			if set := w.Robots[i].Sensors[k].Level; again.Robots[i].Sensors[k].Level != set {
				again.Robots[i].Sensors[k].Level = set
			}
		}
	}
	return again, nil
}
