package intervals

import (
	"math"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Collide returns a function that commands all robots of a simulation: for one second they run into each other at the
// centre of the field, in the next second they drive apart, and so on. Config.Start can return that function.
func Collide(sim *omnipitch.Sim) (drive func(step int, half bool)) {
	const second = 200 // steps
	return func(step int, _ bool) {
		if step%10 != 0 {
			return
		}
		to := 1.0
		if step/second%2 == 1 {
			to = -1
		}
		for i := range sim.World().Robots {
			pose := sim.Truth().Robots[i].PoseWB
			x, y := -pose.Pos[0], -pose.Pos[1]
			v := 2 * to / math.Max(math.Hypot(x, y), 0.1)
			sin, cos := math.Sincos(pose.Heading())
			// always finite
			sim.Do(&action.Drive{Robot: sim.World().Robots[i].Name, VX: v * (cos*x + sin*y), VY: v * (cos*y - sin*x),
				Omega: 2})
		}
	}
}
