package audit

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// seen is what rules look at of single robots, and what most states have nothing of.
type seen struct {
	off    []bool      // the robot stands beside the field; nil: none does
	tilted []tilted    // robots that may have fallen
	stuck  []int       // robots that are
	placed []placement // where robots are at the end of the step that are elsewhere in the state
	cover  float64     // share of the ball's diameter that its holder covers
}

type tilted struct {
	robot int
	angle float64 // rad
}

type placement struct {
	robot int
	atW   [2]float64 // metres
}

// look adds to a state what it has of single robots.
func (m *Match) look(s *state, now, left *physics.Snapshot) {
	var before []bool
	if n := len(m.states); n > 0 {
		before = m.states[n-1].off
	}
	off := make([]bool, len(now.Robots))
	for i := range now.Robots {
		r := &now.Robots[i]
		stood := len(m.states) > 0 && (before != nil && before[i] || !m.parked(i, m.was[i]))
		off[i] = stood && m.parked(i, r.PoseWB)
		m.was[i] = r.PoseWB
		if angle := tilt(r.PoseWB); angle > m.world.Rules.FallenBy-1e-6 {
			s.tilted = append(s.tilted, tilted{i, angle})
		}
		if r.Stuck {
			s.stuck = append(s.stuck, i)
		}
		if p := left.Robots[i].PoseWB.Pos; p != r.PoseWB.Pos {
			s.placed = append(s.placed, placement{i, [2]float64{p[0], p[1]}})
		}
	}
	switch {
	case slices.Equal(off, before):
		s.off = before
	case slices.Contains(off, true):
		s.off = off
	}
	if h := now.Ball.HeldBy; h >= 0 {
		s.cover = m.covered(h, now.Robots[h].PoseWB, s.floor())
	}
	for i := range now.Obstacles {
		p := &now.Obstacles[i].PoseWO.Pos
		s.obstacles = append(s.obstacles, [2]float64{p[0], p[1]})
	}
}

// parked tells whether a pose is one where a robot stands while it is off the field: beyond the boards, along the right
// touch line of cyan's half for cyan, mirrored for magenta, and facing the field. No robot drives there.
func (m *Match) parked(robot int, poseWB spatial.Pose) bool {
	f := &m.model.Field
	return poseWB.Pos[1] < -f.Width/2-f.Border-physics.BoardThickness && attack(m.team(robot))*poseWB.Pos[0] < 0 &&
		math.Abs(poseWB.Heading()-math.Pi/2) < 0.1
}

// tilt is the angle between a robot's vertical axis and that of the world, rad.
func tilt(poseWB spatial.Pose) float64 {
	up := poseWB.Rotate([3]float64{0, 0, 1})
	return math.Atan2(math.Hypot(up[0], up[1]), up[2])
}

// covered returns the share of the ball's diameter that is under a robot's hull, seen from above.
func (m *Match) covered(robot int, poseWB spatial.Pose, ball [2]float64) float64 {
	body, r := &m.model.Robots[robot].Body, m.model.Ball.Radius
	x, y := ball[0]-poseWB.Pos[0], ball[1]-poseWB.Pos[1]
	edge := math.Sqrt(x*x+y*y) - body.Radius // from there to the ball's centre
	if body.Length > 0 {
		sin, cos := math.Sincos(poseWB.Heading())
		ahead, aside := math.Abs(x*cos+y*sin)-body.Length/2, math.Abs(y*cos-x*sin)-body.Width/2
		edge = math.Hypot(max(0, ahead), max(0, aside)) + min(0, max(ahead, aside))
	}
	return max(0, min(1, (r-edge)/(2*r)))
}

// isOff tells whether a robot is off the field when a step is judged.
func (m *Match) isOff(robot int, step int64) bool {
	off := m.states[step].off
	return off != nil && off[robot]
}

// leftAt returns where a robot is at the end of a step.
func (m *Match) leftAt(robot int, step int64) [2]float64 {
	for _, p := range m.states[step].placed {
		if p.robot == robot {
			return p.atW
		}
	}
	return m.states[step].robots[robot]
}

// find returns the index of a robot by its name, or nobody.
func (m *Match) find(name string) int {
	return slices.IndexFunc(m.model.Robots, func(r physics.Robot) bool { return r.Name == name })
}
