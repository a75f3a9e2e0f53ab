package simulation

import (
	"context"
	"io"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
)

// serveSteps offers the action SimulateSteps.
func (s *server) serveSteps(n *ros2.Node, namespace string) (io.Closer, error) {
	now := func() msg.Time { return msg.TimeFrom(s.sim.Clock().Time()) }
	return ros2.ServeAction(n, ServiceName(namespace, stepsAction), "simulation_interfaces/"+stepsAction, now,
		s.simulateSteps)
}

const stepsAction = "SimulateSteps"

// simulateSteps takes the steps of a goal one by one, with feedback after each.
func (s *server) simulateSteps(ctx context.Context, goal *msg.StepSimulationRequest,
	feedback func(*msg.SimulateStepsFeedback)) (*msg.ResultResponse, error) {
	err := checkSteps(goal.Steps)
	for done := uint64(1); done <= goal.Steps && err == nil; done++ {
		if err = s.sim.Clock().TakeSteps(ctx, 1); err == nil {
			feedback(&msg.SimulateStepsFeedback{CompletedSteps: done, RemainingSteps: goal.Steps - done})
		}
	}
	var result msg.ResultResponse
	setResult(&result, err)
	return &result, err
}
