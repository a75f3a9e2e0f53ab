package soccer_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
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
