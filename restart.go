package omnipitch

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Restart has the world begin again, before the next step: at time 0, with everything as the world file has it, so that
// what follows is what a new Sim would do. Listeners, timers and connections stay; what is under way to listeners is
// dropped, and so are commands from before the call. world is what to begin with: nil for the present one, another
// seed's (worlds.World.WithSeed), or a file's that has been changed. It fails, and changes nothing, when that is
// invalid, or differs in what programs have been told: robots, their sensors and their places on ROS. It may be called
// from any goroutine.
func (s *Sim) Restart(world *worlds.World) error {
	switch {
	case s.commands.isClosed():
		return ErrClosed
	case s.inputs.closed():
		return ErrReplaying
	}
	if world == nil {
		world = s.World()
	} else if err := s.canRestart(world); err != nil {
		return err
	}
	s.inputs.mu.Lock()
	s.restartNext(world)
	if s.inputs.told != nil {
		s.inputs.done = append(s.inputs.done, Input{World: world})
	}
	s.inputs.mu.Unlock()
	s.clock.Poke()
	return nil
}

// restartNext has a world begin again before the next step.
func (s *Sim) restartNext(world *worlds.World) {
	s.dropPending()
	s.again.Store(world)
}

// dropPending drops commands, messages and restarts that no step has taken.
func (s *Sim) dropPending() {
	s.commands.forget()
	s.radios.forget()
	s.again.Store(nil)
}

// canRestart reports why another world cannot follow on this one.
func (s *Sim) canRestart(world *worlds.World) error {
	if err := errors.Join(world.Validate(), scenery.CheckCost(world)); err != nil {
		return err
	}
	was := s.World()
	const rule = ": a simulation that runs cannot change that: start it anew"
	switch {
	case was.Time.Step != world.Time.Step:
		return fmt.Errorf("time.step_ms = %v: was %v%s", world.Time.Step.Seconds()*1e3, was.Time.Step.Seconds()*1e3,
			rule)
	case was.Time.ClockRate != world.Time.ClockRate || !reflect.DeepEqual(was.Time.WaitFor, world.Time.WaitFor):
		return errors.New("time: clock_hz or wait_for was another" + rule)
	case len(was.Robots) != len(world.Robots):
		return fmt.Errorf("%d robots: there were %d%s", len(world.Robots), len(was.Robots), rule)
	}
	for i := range was.Robots {
		a, b := &was.Robots[i], &world.Robots[i]
		if a.Name != b.Name || a.Team != b.Team || a.Number != b.Number || !reflect.DeepEqual(a.ROS1, b.ROS1) ||
			!sameTopics(a.Radio, b.Radio) || len(a.Sensors) != len(b.Sensors) {
			return fmt.Errorf("robot[%d]: its name, team, number, ros1, topics of its radio or number of sensors was "+
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

// sameTopics tells whether two radios, nil for none, have the same topics.
func sameTopics(a, b *radio.Config) bool {
	return (a == nil) == (b == nil) && (a == nil || slices.Equal(a.Topics, b.Topics))
}

// prepare has what was done since the state before belong to the next step, begins again if Restart has been called,
// and announces time 0 then: who is waited for answers it before the first step. It belongs to the goroutine that
// steps, between two steps.
func (s *Sim) prepare() error {
	if s.commands.isClosed() {
		return nil
	}
	if err := s.beforeStep(); err != nil {
		return err
	}
	if err := s.takeInputs(BeforeStep); err != nil || s.again.Load() == nil { // as in nearly every step
		return err
	}
	if err := s.withoutInputs(BeforeStep, func() error { return s.restart(s.again.Swap(nil)) }); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return s.announceStart()
}

func (s *Sim) restart(world *worlds.World) error {
	if s.begun { // else there was nothing to judge
		s.judge.End() // before those who record the run are told of another engine
	}
	model := world.Model()
	engine, err := s.opts.NewEngine(model)
	if err != nil {
		return err
	}
	s.engine.Close()
	s.setEngine(engine)
	looks := s.scenery
	if s.world.SameAppearance(world) {
		looks.Reset()
	} else {
		looks = s.opts.Cache.scenery.New(world, model)
	}
	s.setWorld(world, model, looks)
	engine.Snapshot(&s.truth)
	s.jump()
	s.clock.ticks.init(world.Time.ClockRate)
	s.commands.restart(model)
	if err := s.restartSensors(); err != nil {
		return err
	}
	return s.enter()
}

func (e externalActions) Restart(seed *uint64) error {
	world, err := e.reseeded(seed)
	if err != nil {
		return err
	}
	return e.Sim.Restart(world)
}

// Restart by an event is the world's own.
func (e eventActions) Restart(seed *uint64) error {
	world, err := e.reseeded(seed)
	if err == nil {
		err = e.canRestart(world)
	}
	if err == nil {
		e.restartNext(world)
	}
	return err
}

// reseeded returns the present world, or another seed's unless that is nil, at the levels that have been set.
func (s *Sim) reseeded(seed *uint64) (*worlds.World, error) {
	was := s.World()
	if seed == nil {
		return was, nil
	}
	world, err := was.WithSeed(*seed)
	if err != nil {
		return nil, err
	}
	for i := range min(len(was.Robots), len(world.Robots)) { // levels may have been set since the file was read
		for k := range min(len(was.Robots[i].Sensors), len(world.Robots[i].Sensors)) {
			if set := was.Robots[i].Sensors[k].Level; world.Robots[i].Sensors[k].Level != set {
				world.Robots[i].Sensors[k].Level = set
			}
		}
	}
	return world, nil
}

func (e externalActions) ResetBodies() error {
	err := e.engine.PlaceBall(e.model.Ball.Start())
	for i, standing := range e.officials.roster.Standings() {
		poseWB := e.model.Robots[i].Pose
		if standing.Out != "" {
			poseWB = e.officials.roster.ParkedPose(i)
		}
		err = errors.Join(err, e.engine.PlaceRobot(i, poseWB, spatial.Twist{}))
	}
	for i := range e.model.Obstacles {
		err = errors.Join(err, e.engine.PlaceObstacle(i, e.model.Obstacles[i].Pose, spatial.Twist{}))
	}
	e.engine.Snapshot(&e.truth)
	e.pipeline.Moved()
	e.officials.ballPlaced(e.truth.Ball.PosW)
	return err
}
