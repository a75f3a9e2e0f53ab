package task

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Task is a learning task in a world.
type Task struct {
	Agents  []string          `toml:"agents" required:"true" minlen:"1" maxlen:"500" doc:"names of the robots that learn or have learned; all have the same parts"`
	Rate    float64           `toml:"rate_hz" range:"[0.1, 1000]" doc:"decisions of each agent per second of sim time"`
	Limit   time.Duration     `toml:"limit_s" range:"(0, 1000000]" doc:"sim time after which an episode is cut off"`
	Success *condition.Choice `toml:"success" doc:"condition that ends an episode as a success"`
	Failure *condition.Choice `toml:"failure" doc:"condition that ends an episode as a failure"`
	Actions []string          `toml:"actions" required:"true" minlen:"1" oneof:"drive|dribble|kick" doc:"what an agent decides, as numbers from -1 to 1. drive: forward, to the left unless its wheels cannot, and turn, as parts of the robot's limits; dribble: on above 0; kick: along the floor above 0, as a part of the kicker's max_speed_m_s"`
	Observe Observe           `toml:"observe" doc:"what an agent observes, as numbers from -3 to 3, or as an image"`
	Rewards []Reward          `toml:"reward" merge:"name" maxlen:"100" doc:"rewards of a decision; their sum is the agent's reward"`
}

// SetDefaults sets the rate of a usual camera, and a limit for short tasks.
func (t *Task) SetDefaults() { t.Rate, t.Limit = 30, 20*time.Second }

// Actions of an agent.
const (
	Drive   = "drive"
	Dribble = "dribble"
	Kick    = "kick"
)

// Validate reports, as schema.Violations, what the task names and the world does not have.
func (t *Task) Validate(w condition.World) error {
	var errs []error
	fail := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	for i, name := range t.Agents {
		if rule := t.agentRule(w, i); rule != "" {
			fail(fmt.Sprintf("agents[%d]", i), name, rule)
		}
	}
	for i, name := range t.Actions {
		if slices.Contains(t.Actions[:i], name) {
			fail(fmt.Sprintf("actions[%d]", i), name, "is named twice")
		}
	}
	if t.Success != nil {
		errs = append(errs, condition.Below("success", t.Success.Validate(w)))
	}
	if t.Failure != nil {
		errs = append(errs, condition.Below("failure", t.Failure.Validate(w)))
	}
	if errors.Join(errs...) == nil {
		errs = append(errs, condition.Below("observe", t.validateObserve(w)))
	}
	for i := range t.Rewards {
		errs = append(errs, condition.Below(fmt.Sprintf("reward[%d]", i), t.Rewards[i].validate(t, w)))
	}
	return errors.Join(errs...)
}

// agentRule returns the rule that an agent breaks, or "".
func (t *Task) agentRule(w condition.World, agent int) string {
	r, err := w.FindRobot(t.Agents[agent])
	switch {
	case err != nil:
		return err.Error()
	case slices.Contains(t.Agents[:agent], r.Name):
		return "is named twice"
	case slices.Contains(t.Actions, Dribble) && r.Dribbler == nil:
		return "has no dribbler, which actions name"
	case slices.Contains(t.Actions, Kick) && r.Kicker == nil:
		return "has no kicker, which actions name"
	}
	first, err := w.FindRobot(t.Agents[0])
	if err == nil && slices.Contains(t.Actions, Drive) && DrivesSideways(&first) != DrivesSideways(&r) {
		return "and " + first.Name + " must both drive sideways, or neither: all agents have the same actions"
	}
	return ""
}
