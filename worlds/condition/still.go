package condition

import (
	"errors"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// still is a world at time 0 that does not run.
type still struct {
	model *physics.Model
	truth physics.Snapshot
	areas area.Areas
}

// Still returns the State of a world as it begins, without an engine: what needs events, sensors or wires cannot be bound to it.
func Still(m *physics.Model, areas area.Areas) State {
	s := &still{model: m, areas: areas}
	pos, twist := m.Ball.Start()
	s.truth.Ball = physics.BallState{PosW: pos, RotW: spatial.Identity().Rot, TwistInW: twist, HeldBy: -1}
	for i := range m.Robots {
		s.truth.Robots = append(s.truth.Robots, physics.RobotState{PoseWB: m.Robots[i].Pose})
	}
	for i := range m.Obstacles {
		s.truth.Obstacles = append(s.truth.Obstacles, physics.ObstacleState{PoseWO: m.Obstacles[i].Pose})
	}
	return s
}

var errStill = errors.New("can be asked of a world that runs, not of how it begins")

func (s *still) Model() *physics.Model                               { return s.model }
func (s *still) Truth() *physics.Snapshot                            { return &s.truth }
func (s *still) Areas() area.Areas                                   { return s.areas }
func (s *still) Game() *game.Game                                    { return game.New(&s.model.Field, s.model.Ball.Radius) }
func (s *still) Event(string) (*Happenings, error)                   { return nil, errStill }
func (s *still) Level(_, _ string) (func() abstraction.Level, error) { return nil, errStill }
func (s *still) Subscribe(string, []string, func(*Message)) error    { return errStill }
func (s *still) EachStep(func())                                     {}
func (s *still) Listen(_, _ string, _ func(abstraction.Level) bool, _ func(*sensors.Observation)) error {
	return errStill
}
