package dataset

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// setting holds the random values of a moment.
type setting struct {
	seed   uint64
	events []Event
}

// draws is the largest number of seeds that are tried for a moment. For some seeds, the random values of a world may be
// invalid.
const draws = 20

// world returns the world with the random values of a moment. The first moment has the random values of the scene
// itself.
func (s *scene) world(moment int) (*worlds.World, error) {
	seed := s.World.Seed + uint64(s.number)
	if moment == 0 {
		return s.World.WithSeed(seed)
	}
	numbers := random.New(seed, "dataset", "moment", uint64(moment))
	var err error
	for try := range uint64(draws) {
		bits, _ := numbers.Bits(try)
		var w *worlds.World
		if w, err = s.World.WithSeed(bits >> 1); err == nil {
			return w, nil
		}
	}
	return nil, err
}

// place moves bodies to the random positions of a moment, executes the moment's events at time 0, and advances the
// simulation by one frame period.
func (s *scene) place(moment int) (drawn setting, err error) {
	w, err := s.world(moment)
	if err != nil {
		return drawn, err
	}
	drawn.seed = w.Seed
	var actions []action.Action
	driven := map[string]physics.PlanarTwist{}
	for i := range w.Events {
		e := &w.Events[i]
		if _, a, err := e.Action(); err == nil && e.At == 0 && e.When == nil && e.After == "" && belongs(a) {
			if d, ok := a.(*action.Drive); ok {
				var c physics.Command
				d.Change(&c)
				driven[d.Robot] = c.TwistB
			}
			actions = append(actions, a)
			key, fields, err := action.Marshal(a)
			if err != nil {
				return drawn, err
			}
			drawn.events = append(drawn.events, Event{key, fields})
		}
	}
	if err := s.arrange(w, driven); err != nil {
		return drawn, err
	}
	for _, a := range actions {
		if err := s.sim.Do(a); err != nil {
			return drawn, fmt.Errorf("an event: %w", err)
		}
	}
	for i := range s.posesWB {
		if i > 0 {
			if err := s.sim.Step(); err != nil {
				return drawn, err
			}
		}
		s.posesWB[i] = s.sim.Sensors().Scenery().Poses(s.sim.Truth(), s.posesWB[i])
	}
	return drawn, nil
}

// arrange moves bodies to the random positions in the world w. A robot starts at rest, or with its velocity in driven.
func (s *scene) arrange(w *worlds.World, driven map[string]physics.PlanarTwist) error {
	m := w.Model()
	var all []action.Action
	for i := range m.Robots {
		r := &m.Robots[i]
		p := placed(r.Name, r.Pose.Pos, r.Pose.Heading())
		twist := driven[r.Name]
		v := r.Pose.Rotate(mgl64.Vec3{twist.VX, twist.VY, 0})
		p.VX, p.VY, p.WZ = v[0], v[1], twist.Omega
		all = append(all, &action.Drive{Robot: r.Name, Stop: true}, &action.Dribble{Robot: r.Name}, p)
	}
	for i := range m.Obstacles {
		o := &m.Obstacles[i]
		all = append(all, placed(o.Name, o.Pose.Pos, o.Pose.Heading()))
	}
	at, twist := m.Ball.Start()
	b := placed("ball", at, 0)
	b.Z, b.VX, b.VY, b.VZ = at[2], twist.Lin[0], twist.Lin[1], twist.Lin[2]
	all = append(all, b)
	for _, a := range all {
		if err := s.sim.Do(a); err != nil {
			return err
		}
	}
	return nil
}

func placed(name string, pos mgl64.Vec3, heading float64) *action.Place {
	return &action.Place{Name: name, X: pos[0], Y: pos[1], Heading: heading}
}

// belongs reports whether an action is part of a moment: positions, motion, light and faults, but not control of the
// run.
func belongs(a action.Action) bool {
	if a == nil {
		return false
	}
	switch a.(type) {
	case *action.Reset, *action.ResetBodies, *action.Record, *action.SetSpeed, *action.End, *action.Pause,
		*action.Resume, *action.GameCommand, *action.Coach, *action.SetLevel:
		return false
	}
	return true
}
