package soccer_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Robots with the same information have different roles: one attacks, one keeps the goal, and no two others share a
// role.
func TestRobotsThatSeeTheSameAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var team []world.Robot
		for n := range 5 {
			team = append(team, world.Robot{Side: world.Mate, Number: uint8(n + 1), Pos: pitch.Vec{
				rapid.Float64Range(-8, 8).Draw(t, "x"), rapid.Float64Range(-5, 5).Draw(t, "y")}})
		}
		ball := pitch.Vec{rapid.Float64Range(-8, 8).Draw(t, "ball.x"), rapid.Float64Range(-5, 5).Draw(t, "ball.y")}
		got := map[soccer.Role]int{}
		for i := range team {
			w := &world.World{Now: time.Second, Pitch: pitch.Pitch{Length: 18, Width: 12}, Known: true, Me: team[i],
				Ball: world.Ball{Known: true, Pos: ball}}
			for j := range team {
				if j != i {
					w.Others = append(w.Others, team[j])
				}
			}
			got[new(soccer.Assigner).Assign(w)]++
		}
		for _, r := range []soccer.Role{soccer.Goalkeeper, soccer.Attacker, soccer.Supporter, soccer.Marker,
			soccer.Sweeper} {
			if got[r] != 1 {
				t.Fatalf("%d robots are %v: %v", got[r], r, got)
			}
		}
	})
}

// The beliefs that a robot of either team publishes in the map equal those that it sends to its teammates in the team's
// frame.
func TestBeliefsAreWhatItTells(t *testing.T) {
	for _, team := range []struct {
		team uint8
		sign float64
	}{{msg.TeamCyan, 1}, {msg.TeamMagenta, -1}} {
		p := soccer.NewPlayer(soccer.ByRadio)
		var said []byte
		for n := range 20 {
			m := perceptionFrame(n)
			m.Team, m.Y, m.Heading, m.BallY, m.VX = team.team, 1.5, 0.7, -2, 0.1
			m.Others = append(m.Others, msg.Sighting{Team: 3 - team.team, Number: 4, X: 3, Y: -1})
			p.Decide(m)
			said = p.Tell()
			if said != nil && n > 15 {
				break
			}
		}
		told := must.Get(world.DecodeRadio(said))(t)
		var pose msg.PoseStamped
		var ball msg.PointStamped
		var others msg.PoseArray
		var path msg.Path
		var status msg.RobotStatus
		if !p.Pose(&pose) || !p.Ball(&ball) || !p.Others(&others) || !p.Path(&path) || !p.Status(&status) {
			t.Fatal("it knows nothing")
		}
		const cm = 0.02 // rounding of the radio message, and a margin
		near := func(what string, x, y, wantX, wantY float64) {
			t.Helper()
			if d := math.Hypot(x-team.sign*wantX, y-team.sign*wantY); !(d < cm) {
				t.Errorf("%s of team %d: %v %v, want %v times %v %v", what, team.team, x, y, team.sign, wantX, wantY)
			}
		}
		near("pose", pose.Pose.Position.X, pose.Pose.Position.Y, told.Pos[0], told.Pos[1])
		near("ball", ball.Point.X, ball.Point.Y, told.Ball.Pos[0], told.Ball.Pos[1])
		q := pose.Pose.Orientation
		ahead := [2]float64{1 - 2*q.Z*q.Z, 2 * q.Z * q.W}
		near("heading", ahead[0], ahead[1], math.Cos(told.Heading), math.Sin(told.Heading))
		if len(others.Poses) != 2 {
			t.Fatalf("%d others", len(others.Poses))
		}
		near("opponent", others.Poses[1].Position.X, others.Poses[1].Position.Y, 3, -1)
		if len(path.Poses) < 2 {
			t.Fatalf("a path of %d points", len(path.Poses))
		}
		near("path's begin", path.Poses[0].Pose.Position.X, path.Poses[0].Pose.Position.Y, told.Pos[0], told.Pos[1])
		end := path.Poses[len(path.Poses)-1].Pose.Position
		near("path's end", end.X, end.Y, told.Target[0], told.Target[1])
		near("velocity", status.VX, status.VY, told.Vel[0], told.Vel[1])
		if status.Role != soccer.Role(told.Role).String() || status.Action != "drive" ||
			status.Dribbling != told.Holding || status.Header != pose.Header {
			t.Errorf("%+v, want a %v that drives, of %+v", status, soccer.Role(told.Role), pose.Header)
		}
		if pose.Header.FrameID != "map" || pose.Header.Stamp != path.Poses[1].Header.Stamp ||
			pose.Header.Stamp.Since() == 0 {
			t.Errorf("%+v", pose.Header)
		}
	}
}
