package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// returns is raised by `make verify-vision`.
var returns = flag.Int("refbot.returns", 1, "how many humanoids return to the field, with the seeds from 1 on")

// returning is a match in which a humanoid that sees by images is placed as by a referee.
const returning = `
name = "returning"
seed = %d
include = ["hsl-refbot"]
[[robot]]
name = "%s"
sensor = [{ name = "camera", level = "raw" }]
`

// penalised is a robot that leaves the field for three seconds. It returns at the touch line that is farther from the
// ball.
const penalised = `
[[event]]
at_s = %g
game_command = { command = "penalise", team = "%s", number = %d, for_s = 3 }
[[event]]
at_s = %g
place = { name = "ball", x_m = 0, y_m = %g, z_m = 0.07 }
`

// placed is a robot that stands at another place of a touch line at once.
const placed = `
[[event]]
at_s = %g
place = { name = "%s%d", x_m = %g, y_m = %g, heading_deg = %g }
`

// returned returns the world of a seed, the index of its robot that sees by images, and when the robot stands at a
// touch line.
func returned(t *testing.T, seed int) (w *worlds.World, robot int, back time.Duration) {
	draw := rand.New(rand.NewPCG(uint64(seed), 40))
	robot = draw.IntN(8)
	team, number, at := "cyan", 1+robot%4, 3+2*draw.Float64()
	if robot >= 4 {
		team = "magenta"
	}
	text := fmt.Sprintf(returning, seed, fmt.Sprint(team, number))
	side := float64(1 - 2*draw.IntN(2)) // of the ball
	if seed%2 == 1 {
		x, y, heading := 1+2.5*draw.Float64(), -3*side, 90*side
		if team == "cyan" {
			x = -x
		}
		text += fmt.Sprintf(placed, at, team, number, x, y, heading)
		back = time.Duration(at * float64(time.Second))
	} else {
		text += fmt.Sprintf(penalised, at, team, number, at+2.9, side)
		back = time.Duration((at + 3) * float64(time.Second))
	}
	return must.Get(worlds.Parse("returning.toml", []byte(text)))(t), robot, back
}

// A humanoid that sees by images finds its pose after the referee has put it at a touch line of its own half: within
// 0.3 m and 10°, and from then on.
func TestHumanoidsReturn(t *testing.T) {
	const longest = 4 * time.Second
	colors := must.Get(readColors(byHand(t, calibration.BGR), vision.BGR))(t)
	for seed := 1; seed <= *returns; seed++ {
		w, robot, back := returned(t, seed)
		heads := make([]*vision.ColorTable, len(w.Robots))
		heads[robot] = colors
		players := seat.Humanoids(len(w.Robots))
		lost := back // the last time at which the robot did not know its pose
		var placed spatial.Pose
		must.Get(seat.PlayByImages(t.Context(), w, back+longest+time.Second, players, seat.Images{Heads: heads},
			func(sim *omnipitch.Sim) {
				sim.OnStep(func(s *physics.Snapshot) {
					is := s.Robots[robot].PoseWB
					if s.Time < back+10*time.Millisecond {
						placed = is
						return
					}
					var m msg.PoseStamped
					known := players[robot].Pose(&m)
					p, q := &m.Pose.Position, &m.Pose.Orientation
					far := pitch.Distance(pitch.Vec{p.X, p.Y}, pitch.Vec{is.Pos[0], is.Pos[1]})
					turned := math.Abs(pitch.Wrap(2*math.Atan2(q.Z, q.W) - is.Heading()))
					if !(known && far < 0.3 && turned < 10*spatial.Degree) {
						lost = s.Time
					}
				})
			}))(t)
		t.Logf("seed %d: %s at (%.1f, %.1f) m finds its pose after %v", seed, w.Robots[robot].Name, placed.Pos[0],
			placed.Pos[1], (lost - back).Round(time.Millisecond))
		if !(math.Abs(math.Abs(placed.Pos[1])-3) < 0.05) || lost-back > longest {
			t.Errorf("seed %d: at (%.1f, %.1f) m, it does not know its pose for %v, want a touch line and %v", seed,
				placed.Pos[0], placed.Pos[1], lost-back, longest)
		}
	}
}
