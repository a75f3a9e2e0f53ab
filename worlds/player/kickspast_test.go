package player

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A robot without a dribbler that stands behind the ball kicks past an opponent in front of it, to the side on which
// the goal is, and straight if the opponent is elsewhere.
func TestKicksPast(t *testing.T) {
	drive := physics.Drive{MaxSpeed: 0.3, MaxOmega: 1, MaxAccel: 0.5, MaxAlpha: 3}
	m := &physics.Model{Ball: physics.Ball{Radius: 0.07}, Robots: []physics.Robot{
		{Name: "cyan2", Team: physics.Cyan, Body: physics.Body{Radius: 0.1}, Drive: drive,
			Kicker: &physics.Kicker{MaxSpeed: 3, LobAngle: 0.3}},
		{Name: "magenta2", Team: physics.Magenta, Body: physics.Body{Radius: 0.1}, Drive: drive},
	}}
	for _, c := range []struct {
		name     string
		opponent [2]float64
		heading  float64 // of the robot, degrees
		kicks    bool
		past     bool
	}{
		{"turned to the left", [2]float64{0.3, -0.01}, 48, true, true},
		{"turned to the right", [2]float64{0.3, 0.01}, -48, true, true},
		{"not yet turned", [2]float64{0.3, -0.01}, 30, false, true},
		{"turned to the wrong side", [2]float64{0.3, -0.01}, -48, false, true},
		{"an opponent farther away", [2]float64{0.6, 0}, 0, true, false},
		{"an opponent beside the ball", [2]float64{0.1, 0.4}, 0, true, false},
	} {
		chase := &ChaseBall{Limits: Limits{0.3, 0.5}, ShootAt: &Point{X: 4}, ShotSpeed: 2, ShotRange: 9}
		p := chase.Start(m, 0).(*chaser)
		now := m.Start()
		now.Ball.PosW = [3]float64{0, 0, 0.07}
		now.Robots[0].PoseWB = spatial.Planar(-0.17, 0, c.heading*math.Pi/180)
		now.Robots[1].PoseWB = spatial.Planar(c.opponent[0], c.opponent[1], math.Pi)
		var command physics.Command
		must.Equal(t, p.kicksPast(now, &command, flat(now.Ball.PosW)), c.past, "%s: kicks past", c.name)
		if !c.past {
			command = physics.Command{}
			p.push(now, &command, p.to, 2)
		}
		if got := command.Kick.Mode == physics.FlatKick && command.Kick.Speed == 2; got != c.kicks {
			t.Errorf("%s: %+v", c.name, command.Kick)
		}
	}
}
