package simulation

import (
	"context"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/worlds/action"
)

func (s *server) getState(_ context.Context, _ *msg.EmptyRequest, resp *msg.GetSimulationStateResponse) error {
	resp.State.State = s.state()
	return nil
}

// state returns the state of the simulation.
func (s *server) state() uint8 {
	clock := s.sim.Clock()
	switch {
	case s.quitting.Load():
		return msg.StateQuitting
	case !clock.Paused():
		return msg.StatePlaying
	case s.stopped.Load() && clock.Time() == 0:
		return msg.StateStopped
	}
	return msg.StatePaused
}

func (s *server) setState(ctx context.Context, q *msg.SetSimulationStateRequest, _ *msg.ResultResponse) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, to := s.state(), q.State.State
	switch {
	case to > msg.StateLoadingWorld:
		return failf(msg.ResultOperationFailed, "state = %d: must be 0 to %d", to, msg.StateLoadingWorld)
	case to == now:
		return failf(msg.AlreadyInTargetState, "the simulation is in state %d already", to)
	case to == msg.StateNoWorld || to == msg.StateLoadingWorld:
		return failf(msg.IncorrectTransition, "state = %d: a run has the same world from its start to its end", to)
	case now == msg.StateQuitting:
		return failf(msg.IncorrectTransition, "the simulation quits")
	}
	var err error
	switch to {
	case msg.StateStopped:
		if err = s.sim.Do(&action.Pause{}); err == nil {
			err = s.restart(ctx)
		}
	case msg.StatePaused:
		err = s.sim.Do(&action.Pause{})
	case msg.StatePlaying:
		err = s.sim.Do(&action.Resume{})
	case msg.StateQuitting:
		s.quitting.Store(true)
		ros2.AfterAnswer(ctx, func() { _ = s.sim.Do(&action.End{}) }) // fails only if the run is over
	}
	if err != nil {
		return failf(msg.StateTransitionError, "%v", err)
	}
	s.stopped.Store(to == msg.StateStopped)
	return nil
}

// restart restarts the world at time 0, and waits until that is done.
func (s *server) restart(ctx context.Context) error {
	if err := s.sim.Do(&action.Reset{}); err != nil {
		return err
	}
	for {
		restarting, err := between(s, ctx, func() bool {
			clear(s.infos)
			return s.sim.Replay().Restarting()
		})
		if err != nil || !restarting {
			return err
		}
	}
}

// partScopes are the scopes of which each can be reset without the others.
const partScopes = msg.ScopeState | msg.ScopeSpawned

func (s *server) reset(ctx context.Context, q *msg.ResetSimulationRequest, _ *msg.ResultResponse) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch q.Scope {
	case msg.ScopeDefault, msg.ScopeAll, msg.ScopeTime | partScopes:
		return s.restart(ctx)
	}
	if q.Scope&^partScopes != 0 {
		return failf(msg.ResultFeatureUnsupported,
			"scope = %d: time is reset together with state and spawned entities alone", q.Scope)
	}
	failed, err := between(s, ctx, func() error { return s.resetParts(q.Scope) })
	if err == nil {
		err = failed
	}
	return err
}

// resetParts resets poses and velocities, or makes spawned entities absent, or both.
func (s *server) resetParts(scope uint8) error {
	if scope&msg.ScopeSpawned != 0 {
		for _, e := range s.entities() {
			if !e.spawned {
				continue
			}
			if err := s.sim.Do(&action.Delete{Name: e.name}); err != nil {
				return err
			}
		}
	}
	if scope&msg.ScopeState != 0 {
		return s.sim.Do(&action.ResetBodies{})
	}
	return nil
}

func (s *server) step(ctx context.Context, q *msg.StepSimulationRequest, _ *msg.ResultResponse) error {
	if err := checkSteps(q.Steps); err != nil {
		return err
	}
	return s.sim.Clock().TakeSteps(ctx, int(q.Steps))
}

func checkSteps(n uint64) error {
	if n < 1 || n > mostSteps {
		return fmt.Errorf("steps = %d: must be 1 to %d", n, mostSteps)
	}
	return nil
}

// mostSteps is the maximum number of steps in one request. It is a guess: more than eight minutes of sim time.
const mostSteps = 100_000

func (s *server) getWorld(_ context.Context, _ *msg.EmptyRequest, resp *msg.WorldResponse) error {
	w := s.sim.World()
	resp.World = msg.WorldResource{Name: w.Name, WorldResource: msg.Resource{URI: w.Name}, Description: w.About}
	return nil
}
