//go:build cgo

package omnipitch_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// An action by an event and by Do at the same time give the same state, bit for bit, and the same report of a camera.
// Each action has an effect.
func TestEventsDoWhatDoDoes(t *testing.T) {
	const at = 300 * time.Millisecond
	run := func(c *action.Choice, byEvent bool) (output []string) {
		w := simtest.World(t, "nubot-attack")
		w.Ball.X, w.Ball.Y = 0.85, -0.4 // at cyan1's dribbler, which is on at time 0
		w.Events = []worlds.Event{{Choice: action.Choice{Dribble: &action.Dribble{Robot: "cyan1", Enable: true}}}}
		front := simtest.Sensor(t, w, "cyan1", "front")
		front.Level, front.Head = abstraction.Objects, &sensors.HeadConfig{}
		front.Head.SetDefaults()
		ear := sensors.Config{Name: "ear", Kind: "microphone"}
		ear.Complete()
		w.Robots[0].Sensors = append(w.Robots[0].Sensors, ear)
		if c != nil && byEvent {
			w.Events = append(w.Events, worlds.Event{At: at, Choice: *c})
		}
		sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
		if c != nil && !byEvent {
			sim.Clock().After(at, func(time.Duration) {
				_, a, err := c.Action()
				if err != nil {
					t.Fatal(err)
				}
				sim.Must(a)
			})
		}
		for _, sensor := range []string{"front", "ear", "odometry"} {
			sim.On("cyan1", sensor, func(o *sensors.Observation) { output = append(output, simtest.Describe(o)) })
		}
		for range 160 {
			sim.Steps(1)
			output = append(output, fmt.Sprint(sim.Truth().Time, sim.Truth().Hash()))
		}
		return output
	}
	nothing := run(nil, true)
	for name, c := range map[string]action.Choice{
		"place":          {Place: &action.Place{Name: "ball", X: 2, Y: 1, VX: 3, VY: -1, WZ: 4}},
		"spawn":          {Spawn: &action.Spawn{Place: action.Place{Name: "obstacle1", X: 2, Y: -0.4}}},
		"delete":         {Delete: &action.Delete{Name: "cyan1"}},
		"push":           {Push: &action.Push{Name: "cyan1", FX: 500, TZ: 20, For: 100 * time.Millisecond}},
		"whistle":        {Whistle: &action.Whistle{Name: "cyan1", For: 100 * time.Millisecond, Level: 110}},
		"kick":           {Kick: &action.Kick{Robot: "cyan1", Way: "flat", Speed: 4, Limit: 10, Now: true}},
		"dribble":        {Dribble: &action.Dribble{Robot: "cyan1"}},
		"drive":          {Drive: &action.Drive{Robot: "cyan1", VX: 1, Omega: 2}},
		"set_level":      {SetLevel: &action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Truth}},
		"reset_odometry": {ResetOdometry: &action.ResetOdometry{Robot: "cyan1"}},
		"aim_head":       {AimHead: &action.AimHead{Robot: "cyan1", Sensor: "front", Pan: 1, Tilt: 0.2}},
	} {
		event, do := run(&c, true), run(&c, false)
		for i := range event {
			if i >= len(do) || event[i] != do[i] {
				t.Errorf("%s: output %d by event is %s, by Do %s", name, i, event[i], do[min(i, len(do)-1)])
				break
			}
		}
		if slices.Equal(event, nothing) {
			t.Errorf("%s changes nothing in this test: give it something to act on in run", name)
		}
	}
}
