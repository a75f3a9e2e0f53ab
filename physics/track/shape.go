package track

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

// shape is what the columns of a block depend on: how many bodies there are, and the constants by which their motion is
// predicted.
type shape struct {
	step      time.Duration // length of a step
	robots    int
	obstacles int
	kinds     []kind
	kindOf    []int // of robots, then of obstacles
}

// kind is the constants of bodies that are alike.
type kind struct {
	com    float64 // height of the point that moves straight in a step, over the body's origin, metres
	arc    bool    // the body moves on a circle in a step
	wheels []grip
}

// grip predicts a wheel's rate: (vx, vy, omega) of the body, in its own axes, times these.
type grip struct{ x, y, omega float64 }

// shapeOf returns the shape of a model's states.
func shapeOf(model *physics.Model) shape {
	s := shape{step: model.Step, robots: len(model.Robots), obstacles: len(model.Obstacles)}
	planar := model.Config.Engine == "planar"
	for i := range model.Robots {
		r := &model.Robots[i]
		k := kind{com: r.Body.CoMZ}
		if planar {
			k = kind{arc: true}
		}
		wheels, err := r.Drive.WheelSet()
		for w := 0; err == nil && w < wheels.Len(); w++ {
			g := wheels.Grip(w)
			k.wheels = append(k.wheels, grip{g.EX / g.Radius, g.EY / g.Radius, (g.X*g.EY - g.Y*g.EX) / g.Radius})
		}
		s.addKind(k)
	}
	for i := range model.Obstacles {
		k := kind{com: model.Obstacles[i].Height / 2}
		if planar {
			k.com = 0
		}
		s.addKind(k)
	}
	return s
}

// addKind says of which kind the next body is.
func (s *shape) addKind(k kind) {
	at := slices.IndexFunc(s.kinds, func(o kind) bool {
		return k.com == o.com && k.arc == o.arc && slices.Equal(k.wheels, o.wheels)
	})
	if at < 0 {
		at = len(s.kinds)
		s.kinds = append(s.kinds, k)
	}
	s.kindOf = append(s.kindOf, at)
}

// group is columns that are predicted together.
type group struct {
	rule
	first, count int // columns
	body         int // first column of the body
	kind         int
}

// layout appends the groups of a state in the order of their columns, and returns how many columns there are.
func (s *shape) layout(groups []group) ([]group, int) {
	at := 0
	add := func(r rule, count, body, kind int) {
		groups = append(groups, group{r, at, count, body, kind})
		at += count
	}
	moving := func(motion rule, body, kind int) {
		add(hold, 3, body, kind)
		add(turn, 4, body, kind)
		add(hold, 3, body, kind)
		add(motion, 3, body, kind)
	}
	add(count, 1, 0, 0)
	add(clock, 1, 0, 0)
	add(whole, stateColumns-at, 0, 0)
	moving(mean, at, 0)
	for i := range s.robots {
		body, kind := at, s.kindOf[i]
		n := len(s.kinds[kind].wheels)
		moving(move, body, kind)
		add(change, 6, body, kind)
		add(roll, n, body, kind)
		add(hold, physics.MaxWheels-n, body, kind)
		add(sum, n, body, kind)
		add(hold, physics.MaxWheels-n, body, kind)
		add(hold, armsColumn-motorColumn, body, kind)
		add(hold, kicksColumn-armsColumn, body, kind)
		add(whole, robotColumns-kicksColumn, body, kind)
	}
	for i := range s.obstacles {
		moving(move, at, s.kindOf[s.robots+i])
	}
	return groups, at
}
