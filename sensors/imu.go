package sensors

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// IMU is an inertial measurement unit.
type IMU struct {
	AccelNoise float64 `toml:"accel_noise_m_s2_rthz" range:"[0, 10]" doc:"noise density, m/s^2/sqrt(Hz)"`
	AccelWalk  float64 `toml:"accel_walk_m_s3_rthz" range:"[0, 10]" doc:"random walk of the bias, m/s^3/sqrt(Hz)"`
	AccelBias  float64 `toml:"accel_bias_instability_m_s2" range:"[0, 10]" doc:"bias instability; the Allan deviation does not fall below 0.664 times this value between 3 s and 1000 s"`
	GyroNoise  float64 `toml:"gyro_noise_rad_s_rthz" range:"[0, 10]" doc:"noise density, rad/s/sqrt(Hz)"`
	GyroWalk   float64 `toml:"gyro_walk_rad_s2_rthz" range:"[0, 10]" doc:"random walk of the bias, rad/s^2/sqrt(Hz)"`
	GyroBias   float64 `toml:"gyro_bias_instability_rad_s" range:"[0, 10]" doc:"bias instability, as for the accelerometer"`
}

// SetDefaults sets the values of a MEMS unit of the MTi class. They are guesses based on data sheets: noise densities
// of 60 µg/√Hz and 0.01 °/s/√Hz, and random walks that give biases of about 0.01 m/s² and 0.02 °/s after half an hour.
func (m *IMU) SetDefaults() {
	*m = IMU{
		AccelNoise: 60e-6 * 9.81, AccelWalk: 2.4e-4,
		GyroNoise: 0.01 * spatial.Degree, GyroWalk: 5e-4 * spatial.Degree,
	}
}

func (*IMU) row() *kind {
	return &kind{rate: 100, reading: IMUReading{}, profiles: []profile{
		// Sources: the data sheet of the MPU-6050 for both noise densities, 400 µg/√Hz and 0.005 °/s/√Hz. An Allan
		// deviation at robotics.stackexchange.com/questions/8860 for the bias instability of the gyroscope, 0.0012 °/s.
		// The bias instability of the accelerometer, 0.1 mg, is a guess. The random walks are 0, because no figure was
		// found that separates them from the bias instability.
		{"mpu-6050", func(c *Config) {
			c.IMU = &IMU{AccelNoise: 400e-6 * 9.81, AccelBias: 1e-4 * 9.81, GyroNoise: 0.005 * spatial.Degree,
				GyroBias: 0.0012 * spatial.Degree}
		}},
	}}
}

// IMUReading is a reading of an inertial unit, in the unit's own frame S.
type IMUReading struct {
	// specific force: at rest it points upwards and has the magnitude g
	AccelS mgl64.Vec3 `json:"specific_force_m_s2" quantity:"accel.x accel.y accel.z" unit:"m/s^2"`
	GyroS  mgl64.Vec3 `json:"rate_rad_s" quantity:"gyro.x gyro.y gyro.z" unit:"rad/s"` // angular velocity
	// RotWS is the orientation of the unit in the world. It is valid if RotCovariance is 0, as at truth. At raw
	// RotCovariance is −1, which means that the unit does not measure its orientation (REP 145).
	RotWS         mgl64.Quat `json:"-" quantity:"orientation."`
	RotCovariance float64    `json:"-" quantity:"orientation.covariance"`
	// AccelCovariance and GyroCovariance are the variances of the errors of each axis: white noise and bias. They are 0
	// at truth.
	AccelCovariance float64 `json:"-" quantity:"accel.covariance"`
	GyroCovariance  float64 `json:"-" quantity:"gyro.covariance"`
}

// scramble sets random readings over the full scale, ±50 m/s² and ±300 °/s. These limits are guesses for units of the
// MTi class.
func (r *IMUReading) scramble(noise random.Source) {
	for k := range uint64(3) {
		r.AccelS[k], r.GyroS[k] = evenly(noise, k, 50), evenly(noise, 3+k, 300*spatial.Degree)
	}
	r.RotWS, r.RotCovariance = mgl64.QuatIdent(), -1
}

// imu is an inertial measurement unit. At raw it adds white noise and a bias to each axis. The noise has σ =
// density·√rate. The bias changes at each frame by a random step with σ = walk·√Δt. It also changes at frames that no
// listener wants, and while the level is not raw. Bias instability is a second, stationary bias, flicker noise.
type imu struct {
	device
	turnBS mgl64.Mat3 // rotation of the unit on the robot
	// Of a unit that a joint carries, in the last state: its sim time, the velocity of the unit in W, and its mean
	// acceleration since the state before, without gravity.
	at            time.Duration
	velW, changeW mgl64.Vec3
	accel         inertialAxis
	gyro          inertialAxis
	walked        uint64 // number of frames for which the biases have been changed
	flicker       []random.Correlated
}

// flickerTimes are the time constants of the processes whose sum is flicker noise.
var flickerTimes = [...]time.Duration{time.Second, 10 * time.Second, 100 * time.Second, 1000 * time.Second}

// flickerShare is the standard deviation of each process for a bias instability of 1: √(ln 10/π). Processes whose time
// constants grow by a factor of 10 have about the spectral density of flicker noise with a bias instability B,
// B²/(2π·f), between the inverses of the time constants (IEEE Std 952, annex C). Their Allan deviation is within 10 %
// of 0.664·B from 2 s to 1700 s.
var flickerShare = math.Sqrt(math.Ln10 / math.Pi)

// inertialAxis holds the errors of the three axes of an accelerometer or a gyroscope. All three axes have the same
// statistics.
type inertialAxis struct {
	white, walk float64 // σ of the white noise, and σ of the step of the bias per frame
	flicker     float64 // σ of each process of the flicker noise
	bias        mgl64.Vec3
}

func (m *IMU) build(d device, _ Site) (Sensor, error) {
	white, walk := math.Sqrt(d.cfg.Rate), math.Sqrt(1/d.cfg.Rate)
	s := &imu{
		device: d, turnBS: d.poseBS.Rotation(), at: -1,
		accel: inertialAxis{white: m.AccelNoise * white, walk: m.AccelWalk * walk,
			flicker: m.AccelBias * flickerShare},
		gyro: inertialAxis{white: m.GyroNoise * white, walk: m.GyroWalk * walk, flicker: m.GyroBias * flickerShare},
	}
	if m.AccelBias > 0 || m.GyroBias > 0 {
		for _, constant := range flickerTimes {
			s.flicker = append(s.flicker, random.NewCorrelated(constant, d.cfg.Rate))
		}
	}
	return s, nil
}

// Streams of random numbers within a frame.
const (
	streamInertia uint16 = iota
	streamInertiaWalk
	streamInertiaFlicker
)

func (m *imu) Observe(at *Instant, obs *Observation) {
	r := at.State()
	turnWB := r.PoseWB.Rotation()
	arm, ang := spatial.Turn(&turnWB, m.poseBS.Pos[0], m.poseBS.Pos[1], m.poseBS.Pos[2]), r.TwistWBInW.Ang
	accelW := r.AccelWBInW
	accelW[2] += at.Gravity
	// centripetal acceleration: ω × (ω × arm) = ω (ω·arm) − arm (ω·ω)
	along, square := ang.Dot(arm), ang.Dot(ang)
	for k := range accelW {
		accelW[k] += ang[k]*along - arm[k]*square
	}
	alpha := &r.AngAccelWBInW
	accelW[0] += alpha[1]*arm[2] - alpha[2]*arm[1]
	accelW[1] += alpha[2]*arm[0] - alpha[0]*arm[2]
	accelW[2] += alpha[0]*arm[1] - alpha[1]*arm[0]

	if m.joint != nil {
		accelW, ang = m.changeW, ang.Add(r.PoseWB.Rotate(m.joint.twist(at.Snapshot, m.poseBS.Pos).Ang))
		accelW[2] += at.Gravity
	}

	reading := readingIn[IMUReading](obs)
	a, g := spatial.TurnBack(&turnWB, accelW[0], accelW[1], accelW[2]), spatial.TurnBack(&turnWB, ang[0], ang[1],
		ang[2])
	*reading = IMUReading{AccelS: spatial.TurnBack(&m.turnBS, a[0], a[1], a[2]), GyroS: spatial.TurnBack(&m.turnBS,
		g[0], g[1], g[2])}
	if obs.Level != abstraction.Raw {
		reading.RotWS = r.PoseWB.Rot.Mul(m.poseBS.Rot)
		return
	}
	reading.RotWS, reading.RotCovariance = mgl64.QuatIdent(), -1
	m.walk(obs.Frame)
	noise := m.noise.Frame(obs.Frame)
	a, g = normals(noise, streamInertia)
	m.accel.disturb(&reading.AccelS, &a)
	m.gyro.disturb(&reading.GyroS, &g)
	for i := range m.flicker {
		var n [6]float64
		for pair := range 3 {
			n[2*pair], n[2*pair+1] = m.flicker[i].Normal(noise, streamInertiaFlicker, uint64(3*i+pair))
		}
		for k := range 3 {
			reading.AccelS[k] += n[k] * m.accel.flicker
			reading.GyroS[k] += n[3+k] * m.gyro.flicker
		}
	}
	reading.AccelCovariance, reading.GyroCovariance = m.accel.variance(m.walked), m.gyro.variance(m.walked)
}

// Carry also measures the acceleration of a unit that a joint carries.
func (m *imu) Carry(at *Instant) {
	if m.joint == nil || m.at == at.Snapshot.Time {
		return
	}
	m.device.Carry(at)
	m.turnBS = m.poseBS.Rotation()
	r := at.State()
	velW := r.TwistWBInW.PointVelocity(r.PoseWB.Rotate(m.poseBS.Pos)).Add(
		r.PoseWB.Rotate(m.joint.twist(at.Snapshot, m.poseBS.Pos).Lin))
	if m.changeW = (mgl64.Vec3{}); m.at >= 0 {
		m.changeW = velW.Sub(m.velW).Mul(1 / (at.Snapshot.Time - m.at).Seconds())
	}
	m.velW, m.at = velW, at.Snapshot.Time
}

func (m *imu) Exchange(c *keyframe.Codec) {
	if m.joint != nil {
		c.Duration(&m.at)
		c.Floats(m.velW[:])
		c.Floats(m.changeW[:])
	}
	c.Floats(m.accel.bias[:])
	c.Floats(m.gyro.bias[:])
	c.Uint(&m.walked)
}

// walk changes the biases by one random step for each frame up to and including the given frame. It also counts frames
// that no listener wanted.
func (m *imu) walk(upTo uint64) {
	for ; m.walked <= upTo; m.walked++ {
		a, g := normals(m.noise.Frame(m.walked), streamInertiaWalk)
		m.accel.wander(&a)
		m.gyro.wander(&g)
	}
}

// wander changes the bias by the random step of one frame.
func (x *inertialAxis) wander(normal *mgl64.Vec3) {
	for k := range x.bias {
		x.bias[k] += normal[k] * x.walk
	}
}

// variance returns the variance of the errors after the bias has changed at a number of frames.
func (x *inertialAxis) variance(frames uint64) float64 {
	return x.white*x.white + x.walk*x.walk*float64(frames) + float64(len(flickerTimes))*x.flicker*x.flicker
}

// disturb adds bias and noise to a reading.
func (x *inertialAxis) disturb(reading, normal *mgl64.Vec3) {
	for k := range reading {
		reading[k] += x.bias[k] + normal[k]*x.white
	}
}

// normals returns six independent standard normal numbers.
func normals(n random.Source, stream uint16) (a, b mgl64.Vec3) {
	a[0], a[1] = n.Normal(random.Index(stream, 0))
	a[2], b[0] = n.Normal(random.Index(stream, 1))
	b[1], b[2] = n.Normal(random.Index(stream, 2))
	return a, b
}
