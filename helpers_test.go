package omnipitch

import (
	"errors"
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

func steps(t testing.TB, sim *Sim, n int) {
	t.Helper()
	for range n {
		if err := sim.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

// witness logs the output of a Sim: the state after each step, and everything that its sensors and radios deliver.
type witness struct {
	sim     *Sim
	content []string
	fail    func(args ...any)
}

func newWitness(t testing.TB, sim *Sim) *witness {
	w := &witness{sim: sim, fail: t.Fatal}
	sim.OnStep(func(s *physics.Snapshot) { w.note("state", s.Step, s.Hash()) })
	sim.Sensors().OnLevel(func(c LevelChange) { w.note("level", c) })
	for _, r := range sim.World().Robots {
		if r.Radio != nil {
			if err := sim.Match().OnRadio(r.Name, func(from string, m *radio.Message) {
				w.note(r.Name, "hears", from, *m,
					sim.Truth().Time)
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range r.Sensors {
			if _, err := sim.Listen(r.Name, c.Name, Listener{Observe: w.observe}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

func (w *witness) note(args ...any) { w.content = append(w.content, fmt.Sprintln(args...)) }

func (w *witness) observe(o *sensors.Observation) {
	sum := fnv.New64a()
	if o.Color != nil {
		sum.Write(o.Color.Pix)
	}
	fmt.Fprintf(sum, "%+v %+v %+v", o.Objects, o.Features, o.Reading)
	w.note(o.Robot, o.Sensor, o.Level, o.Frame, o.Stamp, w.sim.Truth().Time, sum.Sum64())
}

// play takes some steps with commands that depend on the step. It ends with a level switch, a moved ball and commands
// that no step has taken.
func (w *witness) play(n int) {
	for i := range n {
		err := w.sim.Do(&action.Drive{Robot: "cyan1", VX: 1.5, Omega: float64(i%40) / 10},
			&action.Dribble{Robot: "cyan1", Enable: true})
		if i == n/2 {
			err = errors.Join(err, w.sim.Do(&action.Place{Name: "ball", X: 0.4, Y: 0.2},
				&action.SetBallHandling{Robot: "cyan1", Enable: false},
				&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Features},
				&action.Hang{Name: "board", PoseInAir: action.PoseInAir{X: 1, Z: 1}},
				&action.BreakSensor{Robot: "cyan1", Sensor: "front", Fault: sensors.Frozen},
				&action.BreakSensor{Robot: "cyan1", Sensor: "odometry", Fault: sensors.Off},
				&action.CutWires{Robot: "cyan1"},
				&action.GameCommand{Command: "goal", Team: physics.Cyan}))
		}
		if err = errors.Join(err, w.sim.Step()); err != nil {
			w.fail(err)
		}
	}
}
