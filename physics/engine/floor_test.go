//go:build cgo

package engine_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// On a bare floor without a ball, a robot that dribbles, kicks and drives stops at the wall of the hall, and nothing
// happens to the ball.
func (k kit) noBallIsThere(t *testing.T) {
	for _, level := range k.levels {
		m := enginetest.Alone(level, 2.5, 0, 0)
		m.Ball.Absent = true
		m.Field.HasGoals, m.Field.HasLines, m.Field.HasBoards = false, false, false
		m.Field.Length, m.Field.Width, m.Field.Border = 8, 5, 0
		if n := len(m.StaticBoxes()); n != 4 {
			t.Errorf("%d static bodies, want the 4 walls of the hall", n)
		}
		r := k.start(t, m)
		r.Commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1}, Dribble: true,
			Kick: physics.Kick{Mode: physics.FlatKick, Speed: 5, Reach: physics.Reach{Distance: 2}}}
		start := m.Start().Ball
		ball := func() {
			for _, e := range r.S.Events {
				if e.A == r.S.BallID() || e.B == r.S.BallID() {
					t.Fatalf("%s: event %v of the ball", level, e.Kind)
				}
			}
			if r.S.Ball != start {
				t.Fatalf("%s: ball %+v, want %+v", level, r.S.Ball, start)
			}
		}
		r.Run(3, ball)
		must.Near(t, string(level)+" robot at the wall", r.S.Robots[0].PoseWB.Pos[0], 4-0.25, 0.01)
		if !r.S.Robots[0].Stuck || r.S.Robots[0].Kicks != 0 {
			t.Errorf("%s: stuck %v, %d kicks; want stuck and none", level, r.S.Robots[0].Stuck, r.S.Robots[0].Kicks)
		}
	}
}
