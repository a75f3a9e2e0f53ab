//go:build cgo

package omnipitch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// planarError returns the normalised squared error of an estimate: e·C⁻¹·e.
func planarError(e mgl64.Vec3, c *sensors.PlanarCovariance) float64 {
	return e.Dot(mgl64.Mat3(*c).Inv().Mul3x1(e)) // symmetric: rows and columns may be exchanged
}

// The errors of odometry agree with its covariances. In a run of ODE, 4 robots have 50 odometries each, for wheels of
// other radii. The mean of their normalised squared errors lies within the 99.9 % limits of χ² with three degrees of
// freedom each: after a curve, with wheels that slip at a board, and after the robots have been put elsewhere.
func TestOdometryErrorsAgreeWithTheirCovariances(t *testing.T) {
	const robots, each = 4, 50
	text := "name = \"curve\"\n"
	for i := range robots {
		text += fmt.Sprintf("[[robot]]\nname = \"cyan%d\"\nmodel = \"nubot\"\npose = { x_m = 6, y_m = %d }\n"+
			"sensor = [{ name = \"omni\", level = \"truth\" }, { name = \"front\", level = \"truth\" }]\n", i+1, 2*i-4)
	}
	w := simtest.Parse(t, text)
	sensor := func(k int) string { return fmt.Sprint("odometry", k) }
	for i := range w.Robots {
		r := &w.Robots[i]
		cfg := *simtest.Sensor(t, w, r.Name, "odometry")
		for k := range each {
			cfg.Name = sensor(k)
			r.Sensors = append(r.Sensors, cfg)
		}
	}
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	var readings [robots][each]sensors.OdometryReading
	var poseWO [robots]spatial.Pose
	twists, seen := 0., 0 // normalised squared errors of twists
	do := func(f func(i int, name string)) {
		for i := range robots {
			f(i, w.Robots[i].Name)
		}
	}
	trueOB := func(i int) spatial.Pose { return poseWO[i].Inverse().Mul(sim.Truth().Robots[i].PoseWB) }
	do(func(i int, name string) {
		poseWO[i] = sim.Truth().Robots[i].PoseWB
		for k := range each {
			sim.On(name, sensor(k), func(o *sensors.Observation) {
				m, twist := o.Reading.(*sensors.OdometryReading), sim.Truth().Robots[i].TwistWBInB()
				if readings[i][k] = *m; o.Level == abstraction.Raw && o.Frame > 0 {
					seen++
					twists += planarError(mgl64.Vec3{m.TwistB.VX - twist.VX, m.TwistB.VY - twist.VY,
						m.TwistB.Omega - twist.Omega}, &m.TwistCov)
				}
			})
		}
	})
	drive := func(d action.Drive, until time.Duration) {
		do(func(i int, name string) { d.Robot = name; sim.Must(&d) })
		sim.Until(until)
	}
	check := func(when string) {
		t.Helper()
		var pose, off float64
		do(func(i int, name string) {
			place := trueOB(i)
			for k := range readings[i] {
				m := &readings[i][k]
				e := m.PoseOB.Pos.Sub(place.Pos)
				off += e.Vec2().Len() / (robots * each)
				e[2] = spatial.WrapAngle(m.PoseOB.Heading() - place.Heading())
				pose += planarError(e, &m.PoseCov)
			}
		})
		chi := distuv.ChiSquared{K: 3 * robots * each}
		least, most := chi.Quantile(0.0005), chi.Quantile(0.9995)
		t.Logf("%s: off by %.3f m; sum of the normalised squared errors of poses %.0f", when, off, pose)
		if !(pose >= least && pose <= most) {
			t.Errorf("%s: sum of the normalised squared errors of poses %.0f, want %.0f to %.0f", when, pose, least, most)
		}
	}
	drive(action.Drive{VX: 0.5, Omega: 20 * spatial.Degree}, 3*time.Second)
	check("after a curve")
	first := readings[0][0].PoseCov[0]
	drive(action.Drive{VX: 1.5}, 7*time.Second)
	check("at a board")
	if got := readings[0][0].PoseCov[0]; !(got > first) {
		t.Errorf("the variance of x after a longer way is %v, want more than %v", got, first)
	}
	do(func(i int, name string) {
		before := trueOB(i)
		sim.Must(&action.Place{Name: name, X: -3, Y: float64(2*i - 4), Heading: 2})
		poseWO[i] = sim.Truth().Robots[i].PoseWB.Mul(before.Inverse())
	})
	twists, seen = 0, 0
	for k := range 60 { // velocities at which the wheels turn by other parts of a tick per frame
		drive(action.Drive{VX: 0.3 + 0.005*float64(k), VY: 0.2 - 0.007*float64(k), Omega: 0.01 * float64(k)},
			7*time.Second+time.Duration(k+1)*50*time.Millisecond)
	}
	check("put elsewhere")
	// The number of independent errors is small, because the encoders of one robot count the same ticks.
	if got := twists / float64(seen); !(got >= 2.7 && got <= 3.3) {
		t.Errorf("mean of the normalised squared errors of twists %.3f, want 3 ± 0.3", got)
	}
	do(func(i int, name string) {
		sim.Must(&action.SetLevel{Robot: name, Sensor: sensor(7), Level: abstraction.Truth})
	})
	sim.Until(11 * time.Second)
	if m := readings[1][7]; m.PoseCov != (sensors.PlanarCovariance{}) || m.TwistCov != m.PoseCov {
		t.Errorf("covariances at truth are %v and %v, want 0", m.PoseCov, m.TwistCov)
	}
}
