package sensors

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// plainRange is the oracle: a ray against all boards and all targets, one by one.
func plainRange(env *abstraction.Environment, from, along mgl64.Vec3) float64 {
	field := hall().Field
	half := [2]float64{field.Length/2 + field.Border, field.Width/2 + field.Border}
	nearest := math.Inf(1)
	for axis, at := range half {
		for _, at := range [2]float64{at, -at} {
			r := (at - from[axis]) / along[axis]
			other, z := from[1-axis]+r*along[1-axis], from[2]+r*along[2]
			if r > 0 && math.Abs(other) <= half[1-axis] && z <= field.WallHeight && z >= 0 {
				nearest = min(nearest, r)
			}
		}
	}
	for i := range env.Targets {
		if t := &env.Targets[i]; t != env.Self {
			nearest = min(nearest, t.Shape.Raycast(t.PoseWT, from, along))
		}
	}
	return nearest
}

// drawSetting draws a robot's pose, its surroundings, and a sensor's mount. Quarter turns make rays parallel to boards
// and boxes. Bodies may contain the sensor, lie on their sides, or touch others.
func drawSetting(t *rapid.T) (poseWB spatial.Pose, env *abstraction.Environment, mount Mount) {
	place, size := rapid.Float64Range(-12, 12), rapid.Float64Range(0.05, 3)
	angle := rapid.OneOf(rapid.Float64Range(-math.Pi, math.Pi), rapid.SampledFrom([]float64{-math.Pi, -math.Pi / 2, 0,
		math.Pi / 2, math.Pi}))
	tilt := rapid.OneOf(rapid.Just(0.), angle)
	pose := func(name string) spatial.Pose {
		pos := mgl64.Vec3{place.Draw(t, name+" x"), place.Draw(t, name+" y"),
			rapid.SampledFrom([]float64{0, 0.11, 0.4}).Draw(t, name+" z")}
		return spatial.RPY(pos, tilt.Draw(t, name+" roll"), tilt.Draw(t, name+" pitch"), angle.Draw(t, name+" yaw"))
	}
	poseWB = pose("robot")
	mount = Mount{X: 0.1, Z: rapid.Float64Range(0, 0.5).Draw(t, "mount z"), Roll: tilt.Draw(t, "mount roll"),
		Pitch: tilt.Draw(t, "mount pitch"), Yaw: angle.Draw(t, "mount yaw")}
	env = &abstraction.Environment{PoseWB: poseWB}
	for range rapid.IntRange(0, 12).Draw(t, "targets") {
		s := abstraction.Shape{
			Kind:   abstraction.ShapeKind(rapid.IntRange(0, 2).Draw(t, "kind")),
			Radius: size.Draw(t, "radius"), Height: size.Draw(t, "height"), SizeX: size.Draw(t, "size x"),
			SizeY: size.Draw(t, "size y"),
		}
		env.Targets = append(env.Targets, abstraction.Target{Shape: s, PoseWT: pose("target")})
	}
	if len(env.Targets) > 0 {
		env.Self = &env.Targets[0]
	}
	return poseWB, env, mount
}

// A laser measures the first hit of each beam, bit-exactly, and a sonar the nearest hit.
func TestRaysMeetWhatIsNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		poseWB, env, mount := drawSetting(rt)
		state := standing()
		state.PoseWB = poseWB
		instant := at(state)
		instant.Environment = env
		laser := inHall(t, "laser", func(c *Config) {
			c.Mount = mount
			c.Laser.FOV = spatial.Degree * rapid.SampledFrom([]float64{1, 90, 180, 270, 359, 360}).Draw(rt,
				"field of view")
			c.Laser.Resolution = spatial.Degree * rapid.SampledFrom([]float64{0.5, 1, 7}).Draw(rt, "resolution")
			c.Laser.Min, c.Laser.Max = 0, 200
		}).(*laser)
		obs := Observation{Level: abstraction.Ideal}
		laser.Observe(instant, &obs)
		scan := obs.Reading.(*LaserScan)
		poseWS := poseWB.Mul(mount.Pose())
		for i, got := range scan.Ranges {
			sin, cos := math.Sincos(scan.First + float64(i)*scan.Step)
			along := poseWS.Rotate(mgl64.Vec3{cos, sin, 0})
			want := plainRange(env, poseWS.Pos, along)
			if along[2] < 0 {
				want = min(want, -poseWS.Pos[2]/along[2])
			}
			switch {
			case want < 0: // below the floor
				want = math.Inf(-1)
			case want > 200:
				want = math.Inf(1)
			}
			if !(got == want) {
				rt.Fatalf("beam %d of %d: %v m, want %v m", i, len(scan.Ranges), got, want)
			}
		}
		sonar := inHall(t, "sonar", func(c *Config) { c.Mount, c.Sonar.Min, c.Sonar.Max = mount, 0, 20 }).(*sonar)
		want := math.Inf(1)
		for _, ray := range sonar.raysS {
			want = min(want, plainRange(env, poseWS.Pos, poseWS.Rotate(ray)))
		}
		if want > 20 {
			want = math.Inf(1)
		}
		obs = Observation{Level: abstraction.Truth}
		sonar.Observe(instant, &obs)
		if got := obs.Reading.(*SonarReading).Range; !(got == want) {
			rt.Fatalf("sonar: %v m, want %v m", got, want)
		}
	})
}

// A scan of 181 beams among ten robots and four posts.
func BenchmarkLaser(b *testing.B) {
	s := inHall(b, "laser", func(c *Config) { c.Laser.FOV, c.Laser.Resolution = 180*spatial.Degree, spatial.Degree })
	targets := []abstraction.Target{{Shape: abstraction.Shape{Kind: abstraction.Sphere, Radius: 0.11},
		PoseWT: spatial.Planar(1, 1, 0)}}
	for i := range 9 {
		targets = append(targets, abstraction.Target{Shape: abstraction.Shape{Kind: abstraction.Box, SizeX: 0.5,
			SizeY: 0.5, Height: 0.8}, PoseWT: spatial.Planar(float64(i)*2-8, float64(i*5%9)-4, float64(i))})
	}
	for i := range 4 {
		targets = append(targets, abstraction.Target{Shape: abstraction.Shape{Kind: abstraction.Box, SizeX: 0.125,
			SizeY: 0.125, Height: 1}, PoseWT: spatial.Planar(float64(i/2)*18-9, float64(i%2)*2-1, 0)})
	}
	state := standing()
	state.PoseWB = spatial.Planar(0.5, -0.5, 0.3)
	instant := at(state)
	instant.Environment = &abstraction.Environment{PoseWB: state.PoseWB, Targets: targets}
	for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Raw} {
		b.Run(string(level), func(b *testing.B) {
			obs := Observation{Level: level}
			b.ReportAllocs()
			for b.Loop() {
				s.Observe(instant, &obs)
			}
		})
	}
}
