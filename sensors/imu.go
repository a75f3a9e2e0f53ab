package sensors

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// imu is an inertial unit. At raw it adds white noise of a density, σ = density·√rate, and a bias that walks by
// σ = walk·√Δt in each axis.
type imu struct {
	device
	poseBS              spatial.Pose
	accelBias, gyroBias mgl64.Vec3
	lastAng             mgl64.Vec3 // of the body, in the world
	lastStamp           int64      // ns
	started             bool
}

func newIMU(d device) *imu { return &imu{device: d, poseBS: d.cfg.Mount.Pose()} }

// Streams of random numbers within a frame.
const (
	streamInertia uint16 = iota
	streamInertiaWalk
)

func (m *imu) Observe(at *Instant, obs *Observation) {
	r := at.State()
	poseWS := r.PoseWB.Mul(m.poseBS)
	ang := r.TwistWBInW.Ang
	arm := r.PoseWB.Rotate(m.poseBS.Pos)
	accelW := r.AccelWBInW.Add(ang.Cross(ang.Cross(arm))).Add(mgl64.Vec3{0, 0, at.Gravity})
	if dt := float64(int64(obs.Stamp)-m.lastStamp) * 1e-9; m.started && dt > 0 {
		accelW = accelW.Add(ang.Sub(m.lastAng).Mul(1 / dt).Cross(arm))
	}
	m.lastAng, m.lastStamp, m.started = ang, int64(obs.Stamp), true

	reading := &obs.parts.imu
	*reading = IMUReading{AccelS: poseWS.Unrotate(accelW), GyroS: poseWS.Unrotate(ang)}
	m.walk(obs.Frame)
	if obs.Level == abstraction.Raw {
		rate := math.Sqrt(m.cfg.Rate)
		a, g := normals(m.noise.Frame(obs.Frame), streamInertia)
		reading.AccelS = reading.AccelS.Add(m.accelBias).Add(a.Mul(m.cfg.Inertia.AccelNoise * rate))
		reading.GyroS = reading.GyroS.Add(m.gyroBias).Add(g.Mul(m.cfg.Inertia.GyroNoise * rate))
	} else {
		reading.RotWS, reading.RotKnown = poseWS.Rot, true
	}
	obs.IMU = reading
}

// walk moves the biases by one frame, at every level, so that a switch of levels leaves the walk as it was.
func (m *imu) walk(frame uint64) {
	dt := math.Sqrt(1 / m.cfg.Rate)
	a, g := normals(m.noise.Frame(frame), streamInertiaWalk)
	m.accelBias = m.accelBias.Add(a.Mul(m.cfg.Inertia.AccelWalk * dt))
	m.gyroBias = m.gyroBias.Add(g.Mul(m.cfg.Inertia.GyroWalk * dt))
}

// normals returns six independent standard normal numbers.
func normals(n abstraction.Noise, stream uint16) (a, b mgl64.Vec3) {
	a[0], a[1] = n.Normal(abstraction.Index(stream, 0))
	a[2], b[0] = n.Normal(abstraction.Index(stream, 1))
	b[1], b[2] = n.Normal(abstraction.Index(stream, 2))
	return a, b
}
