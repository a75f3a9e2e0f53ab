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
	streamAccel uint16 = iota
	streamAccelWalk
	streamGyro
	streamGyroWalk
)

func (m *imu) Observe(at *Instant, obs *Observation) {
	r := at.state()
	poseWS := r.PoseWB.Mul(m.poseBS)
	ang := r.TwistWBInW.Ang
	arm := r.PoseWB.Rotate(m.poseBS.Pos)
	accelW := r.AccelWBInW.Add(ang.Cross(ang.Cross(arm))).Add(mgl64.Vec3{0, 0, at.Gravity})
	if dt := float64(int64(obs.Stamp)-m.lastStamp) * 1e-9; m.started && dt > 0 {
		accelW = accelW.Add(ang.Sub(m.lastAng).Mul(1 / dt).Cross(arm))
	}
	m.lastAng, m.lastStamp, m.started = ang, int64(obs.Stamp), true

	reading := &IMUReading{AccelS: poseWS.Unrotate(accelW), GyroS: poseWS.Unrotate(ang)}
	m.walk(obs.Frame)
	if obs.Level == abstraction.Raw {
		noise, rate := m.noise.Frame(obs.Frame), math.Sqrt(m.cfg.Rate)
		reading.AccelS = reading.AccelS.Add(m.accelBias).Add(normal3(noise, streamAccel).Mul(m.cfg.Inertia.AccelNoise * rate))
		reading.GyroS = reading.GyroS.Add(m.gyroBias).Add(normal3(noise, streamGyro).Mul(m.cfg.Inertia.GyroNoise * rate))
	} else {
		reading.RotWS, reading.RotKnown = poseWS.Rot, true
	}
	obs.IMU = reading
}

// walk moves the biases by one frame, at every level, so that a switch of levels leaves the walk as it was.
func (m *imu) walk(frame uint64) {
	noise, dt := m.noise.Frame(frame), math.Sqrt(1/m.cfg.Rate)
	m.accelBias = m.accelBias.Add(normal3(noise, streamAccelWalk).Mul(m.cfg.Inertia.AccelWalk * dt))
	m.gyroBias = m.gyroBias.Add(normal3(noise, streamGyroWalk).Mul(m.cfg.Inertia.GyroWalk * dt))
}

func normal3(n abstraction.Noise, stream uint16) mgl64.Vec3 {
	a, b := n.Normal(abstraction.Index(stream, 0))
	c, _ := n.Normal(abstraction.Index(stream, 1))
	return mgl64.Vec3{a, b, c}
}
