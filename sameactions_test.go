package omnipitch

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// An action by an event and by Do at the same time give the same state, bit for bit, and the same report of a camera.
// Each action has an effect.
func TestEventsDoWhatGoDoes(t *testing.T) {
	const at = 300 * time.Millisecond
	run := func(c *action.Choice, byEvent bool) (states []uint64, reports string) {
		s, _ := attack(t, func(w *worlds.World) {
			w.Ball.X, w.Ball.Y = 0.85, -0.4 // at cyan1's dribbler, which is on at time 0
			dribble := action.Choice{Dribble: &action.Dribble{Robot: "cyan1", Enable: true}}
			w.Events = []worlds.Event{{Choice: dribble}}
			front, _ := w.Sensor("cyan1", "front")
			front.Level, front.Head = abstraction.Objects, &sensors.HeadConfig{}
			front.Head.SetDefaults()
			if c != nil && byEvent {
				w.Events = append(w.Events, worlds.Event{At: at, Choice: *c})
			}
		})
		if c != nil && !byEvent {
			s.After(at, func(time.Duration) {
				_, a, err := c.Action()
				if err == nil {
					err = s.Do(a)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		heard := record(t, s, "cyan1", "front")
		for range 160 {
			steps(t, s, 1)
			states = append(states, s.Truth().Hash())
		}
		for _, o := range *heard {
			reports += string(o.level) + o.content
		}
		return states, reports
	}
	nothing, silence := run(nil, true)
	for name, c := range map[string]action.Choice{
		"place":     {Place: &action.Place{Name: "ball", X: 2, Y: 1, VX: 3, VY: -1, WZ: 4}},
		"kick":      {Kick: &action.Kick{Robot: "cyan1", Way: "flat", Speed: 4, Limit: 10, Now: true}},
		"dribble":   {Dribble: &action.Dribble{Robot: "cyan1"}},
		"drive":     {Drive: &action.Drive{Robot: "cyan1", VX: 1, Omega: 2}},
		"set_level": {SetLevel: &action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Truth}},
		"aim_head":  {AimHead: &action.AimHead{Robot: "cyan1", Sensor: "front", Pan: 1, Tilt: 0.2}},
	} {
		states, reports := run(&c, true)
		again, same := run(&c, false)
		for i := range states {
			if states[i] != again[i] {
				t.Errorf("%s: the states differ from step %d on", name, i+1)
				break
			}
		}
		if reports != same {
			t.Errorf("%s: what the camera reports differs", name)
		}
		if states[len(states)-1] == nothing[len(nothing)-1] && reports == silence {
			t.Errorf("%s does nothing", name)
		}
	}
}
