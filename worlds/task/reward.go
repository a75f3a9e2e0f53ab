package task

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Reward is one term of the reward of a decision.
type Reward struct {
	Name   string            `toml:"name" required:"true" match:"name" fixed:"true"`
	Agents []string          `toml:"agents" doc:"agents that receive it; left out, all"`
	When   *condition.Choice `toml:"when" doc:"condition; left out, it always holds"`
	Amount float64           `toml:"amount" range:"[-1000000, 1000000]" doc:"paid in each step in which when starts to hold"`
	PerS   float64           `toml:"per_s" range:"[-1000000, 1000000]" doc:"paid for each second during which when holds"`
	Closer *Closer           `toml:"closer" doc:"paid for each metre by which a body comes closer to a body or an area, while when holds"`
	Facing *Facing           `toml:"facing" doc:"paid as a body turns its front towards a body or an area, while when holds"`
}

// Closer pays for a shorter distance over the floor. Moves away cost as much.
type Closer struct {
	Name string  `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	To   string  `toml:"to" required:"true" doc:"another body, or an area, whose centre counts"`
	PerM float64 `toml:"per_m" required:"true" range:"[-1000000, 1000000]"`
}

// Facing pays for a turn towards something. Turns away cost as much.
type Facing struct {
	Name   string  `toml:"name" required:"true" doc:"name of a robot or an obstacle"`
	To     string  `toml:"to" required:"true" doc:"another body, or an area, whose centre counts"`
	Amount float64 `toml:"amount" required:"true" range:"[-1000000, 1000000]" doc:"paid for half a turn, from the back to the front"`
}

func (r *Reward) validate(t *Task, w condition.World) error {
	var errs []error
	fail := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	for i, name := range r.Agents {
		if !slices.Contains(t.Agents, name) {
			fail(fmt.Sprintf("agents[%d]", i), name, "is no agent of the task")
		}
	}
	if r.When != nil {
		errs = append(errs, condition.Below("when", r.When.Validate(w)))
	} else if r.Amount != 0 {
		fail("amount", r.Amount, "needs when")
	}
	if r.Amount == 0 && r.PerS == 0 && r.Closer == nil && r.Facing == nil {
		fail("", nil, "needs amount, per_s, closer or facing")
	}
	measured := func(key, name, to string) {
		if err := w.FindBody(name); err != nil {
			fail(key+".name", name, err.Error())
		}
		if w.FindBody(to) != nil && w.FindArea(to) != nil {
			fail(key+".to", to, "is neither ball, robot, obstacle nor area")
		} else if to == name {
			fail(key+".to", to, "must be another body, or an area")
		}
	}
	if c := r.Closer; c != nil {
		measured("closer", c.Name, c.To)
	}
	if f := r.Facing; f != nil {
		measured("facing", f.Name, f.To)
		if f.Name == "ball" {
			fail("facing.name", f.Name, "has no front")
		}
	}
	return errors.Join(errs...)
}

// measure returns a function that measures the present potential of the closer and facing of a reward. The reward pays
// for its increase. It returns nil if the reward has neither.
func (r *Reward) measure(s condition.State) (func() float64, error) {
	var all []func() float64
	if c := r.Closer; c != nil {
		from, to, err := between(s, c.Name, c.To)
		if err != nil {
			return nil, err
		}
		all = append(all, func() float64 { return -c.PerM * math.Hypot(to[0]-from.Pos[0], to[1]-from.Pos[1]) })
	}
	if f := r.Facing; f != nil {
		from, to, err := between(s, f.Name, f.To)
		if err != nil {
			return nil, err
		}
		all = append(all, func() float64 {
			ahead := from.Rotate(mgl64.Vec3{1})
			dx, dy := to[0]-from.Pos[0], to[1]-from.Pos[1]
			d := math.Hypot(dx, dy) * math.Hypot(ahead[0], ahead[1])
			if d == 0 {
				return f.Amount
			}
			return f.Amount / 2 * (ahead[0]*dx + ahead[1]*dy) / d
		})
	}
	if all == nil {
		return nil, nil
	}
	return func() (sum float64) {
		for _, f := range all {
			sum += f()
		}
		return sum
	}, nil
}

// between returns the pose of a body, and the position of a body or of an area's centre, in W. Both are up to date
// while the world runs.
func between(s condition.State, name, to string) (condition.BodyPose, *mgl64.Vec3, error) {
	from, err := condition.FindBodyPose(s, name)
	if err != nil {
		return from, nil, err
	}
	if target, err := condition.FindBodyPose(s, to); err == nil {
		return from, target.Pos, nil
	}
	a, err := s.Areas().Find(to)
	if err != nil {
		return from, nil, fmt.Errorf("to = %q: %w", to, err)
	}
	x, y := a.Centre()
	return from, &mgl64.Vec3{x, y}, nil
}
