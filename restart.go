package omnipitch

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Restart restarts the world at time 0, before the next step. The Sim then does exactly what a new Sim of the world
// would do. Listeners, timers and connections stay. Commands given before the call and observations that are not yet
// delivered are dropped.
//
// The argument is the world to start. If it is nil, the running world starts again. It may be another world, such as
// the same files with another seed (worlds.World.WithSeed). Restart fails, and changes nothing, if the world is
// invalid. It also fails if the world differs from the running world in a property that robots' programs rely on: the
// step, the rate of the clock, the robots that lockstep waits for, or the robots with their sensors, radio topics and
// ROS names. Levels of sensors may differ. Restart returns ErrClosed after Close, and ErrReplaying during a replay. Any
// goroutine may call it.
func (s *Sim) Restart(world *worlds.World) error {
	if err := s.accepts(); err != nil {
		return err
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

// restartNext sets the world with which the next step restarts the Sim.
func (s *Sim) restartNext(world *worlds.World) {
	s.dropPending()
	s.inputs.world.Store(world)
}

// dropPending drops the commands, radio messages and restarts that no step has taken.
func (s *Sim) dropPending() {
	s.commands.Forget()
	s.match.DropMessages()
	s.inputs.world.Store(nil)
}

// canRestart returns an error if the running Sim cannot restart with the given world.
func (s *Sim) canRestart(world *worlds.World) error {
	if err := errors.Join(world.Validate(), scenery.CheckCost(world)); err != nil {
		return err
	}
	return world.Replaces(s.World())
}

// prepare runs between two steps, in the goroutine that steps. It applies the inputs that have arrived since the last
// step, as inputs of the next step. If Restart has been called, prepare restarts the world and announces the state at
// time 0, so that robots can answer this state before the first step.
func (s *Sim) prepare() error {
	if s.isClosed() {
		return nil
	}
	if err := s.beforeStep(); err != nil {
		return err
	}
	return s.takeBeforeStep()
}

// takeBeforeStep applies the inputs of the moment BeforeStep. If they restart the world, it announces the state at
// time 0.
func (s *Sim) takeBeforeStep() error {
	for {
		if err := s.takeInputs(BeforeStep); err != nil || s.inputs.world.Load() == nil { // as in nearly every step
			return err
		}
		if s.inputs.closed() && s.truth.Step == 0 && s.inputs.source.Steps() > 0 {
			return nil // the recorded run took the restart while it announced time 0, and a step before it restarted
		}
		if err := s.withoutInputs(BeforeStep, func() error { return s.restart(s.inputs.world.Swap(nil)) }); err != nil {
			return fmt.Errorf("restart: %w", err)
		}
		if err := s.announceStart(); err != nil || !s.inputs.closed() {
			return err
		}
		// A recorded run that was paused after its restart may have further inputs before its first step.
	}
}

func (s *Sim) restart(world *worlds.World) error {
	if s.begun { // before that, there are no expectations to judge
		s.match.End() // must come before NewEngine, which starts a new part of a recording
	}
	model := world.Model()
	engine, err := s.opts.NewEngine(model)
	if err != nil {
		return err
	}
	s.engine.Close()
	s.engine = engine
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
	s.commands.Restart(model)
	if err := s.restartSensors(); err != nil {
		return err
	}
	return s.enter()
}
