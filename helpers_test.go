package omnipitch

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// witness logs the output of a Sim: the state after each step, and everything that its sensors and radios deliver.
type witness struct {
	sim     *Sim
	content []string
}

func newWitness(t testing.TB, sim *Sim) *witness {
	w := &witness{sim: sim}
	sim.OnStep(func(s *physics.Snapshot) { w.note("state", s.Step, s.Hash()) })
	sim.Sensors().OnLevel(func(c LevelChange) { w.note("level", c) })
	for _, r := range sim.World().Robots {
		if r.Radio != nil {
			must.Do(t, sim.Match().OnRadio(r.Name, func(from string, m *radio.Message) {
				w.note(r.Name, "hears", from, *m, sim.Truth().Time)
			}))
		}
		for _, c := range r.Sensors {
			must.Get(sim.Listen(r.Name, c.Name, Listener{Observe: w.observe}))(t)
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
