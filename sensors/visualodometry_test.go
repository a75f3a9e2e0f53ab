package sensors

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The errors of pose and velocity agree with their covariances: over many devices, the mean of the normalised squares
// is 3. Without errors, the estimate is the true way. An action that puts the robot elsewhere does not count as a way.
func TestVisualOdometry(t *testing.T) {
	const devices, frames, rate = 600, 300, 30
	start := spatial.Planar(3, -2, 2.5)
	var way [frames + 1]planarPose
	for k := range frames {
		way[k+1] = way[k]
		v := physics.PlanarTwist{VX: 0.5, VY: -0.1, Omega: 0.6}
		if k > frames/2 {
			v.Omega = -0.4
		}
		way[k+1].move(v, 1./rate)
	}
	follow := func(s Sensor, level abstraction.Level) (last *OdometryReading, twist physics.PlanarTwist) {
		for k, p := range way {
			state := standing()
			state.PoseWB = start.Mul(spatial.Planar(p.x, p.y, p.heading))
			if k > 0 {
				d := spatial.Planar(way[k-1].x, way[k-1].y, way[k-1].heading+
					spatial.WrapAngle(p.heading-way[k-1].heading)/2).Unrotate(
					spatial.Planar(p.x-way[k-1].x, p.y-way[k-1].y, 0).Pos)
				twist = physics.PlanarTwist{VX: d[0] * rate, VY: d[1] * rate,
					Omega: spatial.WrapAngle(p.heading-way[k-1].heading) * rate}
			}
			last = read[OdometryReading](s, level, uint64(k), at(state))
		}
		return last, twist
	}
	end := way[frames]
	exact := build(t, "visual_odometry", func(c *Config) { *c.VisualOdometry = VisualOdometry{} })
	got, twist := follow(exact, abstraction.Raw)
	for i, want := range []float64{end.x, end.y, end.heading, twist.VX, twist.VY, twist.Omega} {
		is := []float64{got.PoseOB.Pos[0], got.PoseOB.Pos[1], got.PoseOB.Heading(), got.TwistB.VX, got.TwistB.VY,
			got.TwistB.Omega}[i]
		must.Near(t, fmt.Sprint("exact number ", i), is, want, 1e-6) // stamps are whole nanoseconds
	}
	away := standing()
	away.PoseWB = spatial.Planar(-6, 1, 0)
	moved := read[OdometryReading](exact, abstraction.Raw, frames+1, at(away))
	must.Near(t, "way of a robot that is put elsewhere", moved.PoseOB.Pos.Sub(got.PoseOB.Pos).Len(), 0, 0)
	truth, _ := follow(build(t, "visual_odometry", nil), abstraction.Truth)
	must.Near(t, "x at truth", truth.PoseOB.Pos[0], start.Mul(spatial.Planar(end.x, end.y, 0)).Pos[0], 1e-12)

	pose, speed := 0., 0.
	for k := range devices {
		s := build(t, "visual_odometry", func(c *Config) { c.Name = fmt.Sprint("vo", k) })
		got, twist := follow(s, abstraction.Raw)
		pose += normalised(t, got.PoseCov, got.PoseOB.Pos[0]-end.x, got.PoseOB.Pos[1]-end.y,
			spatial.WrapAngle(got.PoseOB.Heading()-end.heading)) / devices
		speed += normalised(t, got.TwistCov, got.TwistB.VX-twist.VX, got.TwistB.VY-twist.VY,
			got.TwistB.Omega-twist.Omega) / devices
		if k == 0 {
			saved, restored := keyframe.Append(nil), build(t, "visual_odometry", func(c *Config) { c.Name = "vo0" })
			s.Exchange(saved)
			into := keyframe.Restore(saved.Data())
			restored.Exchange(into)
			must.Do(t, into.End())
			must.Equal(t, *read[OdometryReading](restored, abstraction.Raw, frames+1, at(standing())),
				*read[OdometryReading](s, abstraction.Raw, frames+1, at(standing())), "a restored sensor reads")
		}
	}
	// 5 standard errors of a mean of χ² with 3 degrees of freedom
	must.Near(t, "normalised squares of the pose", pose, 3, 5*math.Sqrt(6./devices))
	must.Near(t, "normalised squares of the velocity", speed, 3, 5*math.Sqrt(6./devices))
}

// normalised returns eᵀ·C⁻¹·e for an error e with the covariance C.
func normalised(t *testing.T, cov PlanarCovariance, e ...float64) float64 {
	t.Helper()
	var inverse mat.Dense
	must.Do(t, inverse.Inverse(mat.NewDense(3, 3, cov[:])))
	v := mat.NewVecDense(3, e)
	return mat.Inner(v, &inverse, v)
}
