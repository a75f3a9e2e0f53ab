package main

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
)

// A robot is stuck if it is commanded to drive and does not move: commanded faster than wanted, m/s, for stuckFor in
// total, while it stays within stays, m.
const (
	wanted   = 0.3
	stays    = 0.1
	stuckFor = 10 * time.Second
)

// stills finds robots that are stuck.
type stills struct {
	t      *testing.T
	world  *worlds.World
	speeds []float64 // commanded, m/s
	at     []mgl64.Vec3
	driven []time.Duration // since the robot was at the position
}

func newStills(t *testing.T, w *worlds.World) *stills {
	n := len(w.Robots)
	return &stills{t, w, make([]float64, n), make([]mgl64.Vec3, n), make([]time.Duration, n)}
}

// hear receives the commands of robots' programs.
func (s *stills) hear(in *omnipitch.Input) {
	if in.Command == nil {
		return
	}
	for i := range s.world.Robots {
		if s.world.Robots[i].Name == in.Command.Robot {
			s.speeds[i] = math.Hypot(in.Command.TwistB.VX, in.Command.TwistB.VY)
		}
	}
}

// look receives the state after each step.
func (s *stills) look(now *physics.Snapshot) {
	for i := range now.Robots {
		if pos := now.Robots[i].PoseWB.Pos; pos.Sub(s.at[i]).Len() >= stays {
			s.at[i], s.driven[i] = pos, 0
		} else if s.speeds[i] > wanted {
			if s.driven[i] += s.world.Time.Step; s.driven[i] == stuckFor {
				s.t.Errorf("seed %d: %s is stuck at (%.2f, %.2f) m until %.2f s", s.world.Seed, s.world.Robots[i].Name,
					pos[0], pos[1], now.Time.Seconds())
			}
		}
	}
}
