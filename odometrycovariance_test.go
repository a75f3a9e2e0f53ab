//go:build cgo

package omnipitch_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// planarError returns the normalised squared error of an estimate: e·C⁻¹·e.
func planarError(e mgl64.Vec3, c *sensors.PlanarCovariance) float64 {
	return e.Dot(mgl64.Mat3(*c).Inv().Mul3x1(e)) // symmetric: rows and columns may be exchanged
}

// odometryFilter is a small extended Kalman filter. It fuses the twist of odometry and the rate of a gyroscope by
// their published covariances, and integrates the result. Both sensors have the same rate.
type odometryFilter struct {
	pose mgl64.Vec3 // x, y and heading in O
	cov  mgl64.Mat3
	rate float64 // rate of the newest reading of the gyroscope, about the vertical axis, rad/s
	gyro float64 // variance of the rate
}

// update takes a twist of odometry that holds for a time dt.
func (f *odometryFilter) update(m *sensors.OdometryReading, dt float64) {
	// Kalman update of the twist by the rate, which is its third component.
	c := mgl64.Mat3(m.TwistCov)
	gain := c.Col(2).Mul(1 / (c.At(2, 2) + f.gyro))
	twist := mgl64.Vec3{m.TwistB.VX, m.TwistB.VY, m.TwistB.Omega}
	twist = twist.Add(gain.Mul(f.rate - m.TwistB.Omega))
	c = c.Sub(gain.OuterProd3(c.Col(2)))
	sin, cos := math.Sincos(f.pose[2] + twist[2]*dt/2)
	turn := mgl64.Mat3FromCols(mgl64.Vec3{cos, sin, 0}, mgl64.Vec3{-sin, cos, 0}, mgl64.Vec3{0, 0, 1})
	way := turn.Mul3x1(twist).Mul(dt)
	byPose := mgl64.Mat3FromCols(mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0}, mgl64.Vec3{-way[1], way[0], 1})
	f.pose = f.pose.Add(way)
	f.cov = byPose.Mul3(f.cov).Mul3(byPose.Transpose()).Add(turn.Mul3(c).Mul3(turn.Transpose()).Mul(dt * dt))
}

// odometryErrors holds sums over runs with different seeds.
type odometryErrors struct {
	when          map[string]*poseErrors // at several moments
	twist         float64                // normalised squared errors of twists
	twists        int
	atCurve, last float64 // variances of x after the curve and at the end
}

// poseErrors holds sums of squared errors: of poses, normalised, and of the headings of odometry and of the filter, in
// rad².
type poseErrors struct{ pose, heading, fused float64 }

// run adds a run with a seed, which decides the errors of the wheels' radii and the way of the robot. The robot drives
// a curve, slips at a board, is put elsewhere, and drives at changing velocities.
func (e *odometryErrors) run(t *testing.T, seed uint64, cache *omnipitch.Cache) {
	random := rand.New(rand.NewPCG(seed, 0))
	between := func(from, to float64) float64 { return from + (to-from)*random.Float64() }
	w := simtest.Parse(t, fmt.Sprintf("name = \"curve\"\nseed = %d\n[[robot]]\nname = \"cyan1\"\nmodel = \"nubot\"\n"+
		"pose = { x_m = 6, y_m = %g }\nsensor = [{ name = \"omni\", level = \"truth\" }, "+
		"{ name = \"front\", level = \"truth\" }]\n", seed, between(-4, 4)))
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey, Cache: cache})
	defer sim.Close()
	var m sensors.OdometryReading
	var filter odometryFilter
	state := func() *physics.RobotState { return &sim.Truth().Robots[0] }
	poseWO := state().PoseWB
	trueOB := func() spatial.Pose { return poseWO.Inverse().Mul(state().PoseWB) }
	stamp := time.Duration(0)
	judgeTwists := true
	sim.On("cyan1", "imu", func(o *sensors.Observation) {
		r := o.Reading.(*sensors.IMUReading)
		filter.rate, filter.gyro = r.GyroS[2], r.GyroCovariance
	})
	sim.On("cyan1", "odometry", func(o *sensors.Observation) {
		m = *o.Reading.(*sensors.OdometryReading)
		if o.Frame == 0 {
			return
		}
		filter.update(&m, (o.Stamp - stamp).Seconds())
		if stamp = o.Stamp; judgeTwists {
			now := state().TwistWBInB()
			e.twists++
			e.twist += planarError(mgl64.Vec3{m.TwistB.VX - now.VX, m.TwistB.VY - now.VY, m.TwistB.Omega - now.Omega},
				&m.TwistCov)
		}
	})
	drive := func(d action.Drive, until time.Duration) {
		d.Robot = "cyan1"
		sim.Must(&d)
		sim.Until(until)
	}
	check := func(when string) {
		place := trueOB()
		off := m.PoseOB.Pos.Sub(place.Pos)
		off[2] = spatial.WrapAngle(m.PoseOB.Heading() - place.Heading())
		sums := e.when[when]
		sums.pose += planarError(off, &m.PoseCov)
		sums.heading += off[2] * off[2]
		fused := spatial.WrapAngle(filter.pose[2] - place.Heading())
		sums.fused += fused * fused
	}
	drive(action.Drive{VX: 0.5, Omega: between(10, 30) * spatial.Degree}, 3*time.Second)
	check("after a curve")
	e.atCurve += m.PoseCov[0]
	judgeTwists = false
	drive(action.Drive{VX: 1.5}, 7*time.Second)
	check("at a board")
	before := trueOB()
	sim.Must(&action.Place{Name: "cyan1", X: -3, Y: between(-4, 4), Heading: 2})
	poseWO = state().PoseWB.Mul(before.Inverse())
	judgeTwists = true
	for k := range 20 { // velocities at which the wheels turn by other parts of a tick per frame
		drive(action.Drive{VX: between(0.3, 0.6), VY: between(-0.25, 0.2), Omega: between(0, 0.6)},
			7*time.Second+time.Duration(k+1)*50*time.Millisecond)
	}
	check("put elsewhere")
	e.last += m.PoseCov[0]
}

// The errors of odometry agree with its covariances. In 200 runs with different seeds, the sums of the normalised
// squared errors of poses lie within the 99.9 % limits of χ² with three degrees of freedom for each run: after a curve,
// with wheels that slip at a board, and after the robot has been put elsewhere. A filter that fuses odometry and IMU by
// their covariances knows the heading better than odometry alone.
func TestOdometryErrorsAgreeWithTheirCovariances(t *testing.T) {
	const runs = 200
	moments := []string{"after a curve", "at a board", "put elsewhere"}
	e := odometryErrors{when: map[string]*poseErrors{}}
	for _, when := range moments {
		e.when[when] = &poseErrors{}
	}
	cache := &omnipitch.Cache{}
	for seed := range uint64(runs) {
		e.run(t, seed+1, cache)
	}
	chi := distuv.ChiSquared{K: 3 * runs}
	least, most := chi.Quantile(0.0005), chi.Quantile(0.9995)
	rms := func(squares float64) float64 { return math.Sqrt(squares/runs) / spatial.Degree }
	for _, when := range moments {
		got := e.when[when]
		t.Logf("%s: mean of the normalised squared errors of poses %.3f; heading off by %.4f° rms, the filter's by %.4f°",
			when, got.pose/runs, rms(got.heading), rms(got.fused))
		if !(got.pose >= least && got.pose <= most) {
			t.Errorf("%s: sum of the normalised squared errors of poses %.0f, want %.0f to %.0f", when, got.pose, least,
				most)
		}
		if !(got.fused <= got.heading) {
			t.Errorf("%s: error of the heading by odometry and IMU %.4f° rms, want at most that of odometry alone, %.4f°",
				when, rms(got.fused), rms(got.heading))
		}
	}
	// The errors of successive twists are not independent, so that χ² does not limit their sum.
	t.Logf("mean of the normalised squared errors of %d twists %.3f", e.twists, e.twist/float64(e.twists))
	if got := e.twist / float64(e.twists); !(got >= 2.7 && got <= 3.3) {
		t.Errorf("mean of the normalised squared errors of twists %.3f, want 3 ± 0.3", got)
	}
	if !(e.last > e.atCurve) {
		t.Errorf("the mean variance of x at the end is %v, want more than %v, as after the curve", e.last/runs,
			e.atCurve/runs)
	}
}

// At level truth, odometry is exact. Its covariances are 0.
func TestOdometryCovariancesAtTruth(t *testing.T) {
	w := simtest.World(t, "planar", simtest.AtLevel(abstraction.Truth))
	sim := simtest.New(t, w, omnipitch.Options{})
	seen := 0
	sim.On(w.Robots[0].Name, "odometry", func(o *sensors.Observation) {
		seen++
		m := o.Reading.(*sensors.OdometryReading)
		if m.PoseCov != (sensors.PlanarCovariance{}) || m.TwistCov != m.PoseCov {
			t.Errorf("covariances at truth are %v and %v, want 0", m.PoseCov, m.TwistCov)
		}
	})
	sim.Must(&action.SetLevel{Robot: w.Robots[0].Name, Sensor: "odometry", Level: abstraction.Truth})
	sim.Until(time.Second)
	if seen < 90 {
		t.Errorf("%d readings at level truth, want about 100", seen)
	}
}
