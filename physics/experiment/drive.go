package experiment

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// FreeDrive makes an engine with robots that drive circles around a ball, at 1 m/s and 1.5 rad/s, without contacts: the
// scene of cmd/internal/bench/odeplain. Each call of step is one step.
func FreeDrive(level physics.DriveLevel, robots int) (step func() error, s *physics.Snapshot, end func(),
	err error) {
	sc := model(engineOf(level))
	sc.Ball.X, sc.Ball.Y = 0, 0
	for i := range robots {
		a := 2*math.Pi*float64(i)/10 + 0.1
		sc.Robots = append(sc.Robots, nubot(level, 4*math.Cos(a), 4*math.Sin(a), a+math.Pi))
	}
	r, err := start(sc)
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range r.commands {
		r.commands[i].TwistB = physics.PlanarTwist{VX: 1, Omega: 1.5}
	}
	return r.step, &r.s, r.Close, nil
}
