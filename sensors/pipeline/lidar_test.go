//go:build cgo

package pipeline_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// onlyLidar removes all sensors but lidars from a world, and sets the level of these.
func onlyLidar(level abstraction.Level) func(*worlds.World) {
	return func(w *worlds.World) {
		for i := range w.Robots {
			var kept []sensors.Config
			for _, c := range w.Robots[i].Sensors {
				if c.Lidar != nil {
					c.Level = level
					kept = append(kept, c)
				}
			}
			w.Robots[i].Sensors = kept
		}
	}
}

// beamsOf is a camera model whose pixels are the beams of a lidar: a column for each bearing, a row for each ring.
type beamsOf struct{ *sensors.Lidar }

func (b beamsOf) Size() (width, height int) { return b.Points, b.Rings }

func (b beamsOf) Unproject(u, v float64) (mgl64.Vec3, bool) {
	sinE, cosE := math.Sincos(b.Lowest + (b.Highest-b.Lowest)*v/float64(b.Rings-1))
	sinB, cosB := math.Sincos(math.Pi - 2*math.Pi*u/float64(b.Points))
	return mgl64.Vec3{cosE * cosB, cosE * sinB, sinE}, true
}

func (b beamsOf) Project(mgl64.Vec3) (u, v float64, ok bool) { return 0, 0, false }

// At rest, each beam measures the distance that the reference renderer of images finds along it.
func TestLidarAgreesWithTheRayCaster(t *testing.T) {
	for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Truth} {
		w := simtest.World(t, "lidar", onlyLidar(level))
		w.Look = worlds.LookPlain // for speed
		s := simtest.New(t, w, omnipitch.Options{})
		spec := simtest.Sensor(t, s.World(), "cyan1", "lidar")
		var cloud *sensors.PointCloud
		s.On("cyan1", "lidar", func(o *sensors.Observation) { cloud = o.Reading.(*sensors.PointCloud) })
		poses := s.Sensors().Scenery().Poses(s.Truth(), nil)
		poseWS := s.Truth().Robots[0].PoseWB.Mul(spec.Mount.Pose())
		s.Steps(1)
		width, height := beamsOf{spec.Lidar}.Size()
		truth := render.NewTruth(width, height)
		caster := must.Get(backend.RayCaster(s.Sensors().Scenery().Scene))(t)
		defer caster.Close()
		must.Do(t, caster.Render(&render.Batch{PosesWB: poses, Views: []render.View{{
			Model: beamsOf{spec.Lidar}, PoseWC: poseWS, Truth: truth}}}))
		near, ceiling := 0, 0
		points := cloud.Points
		for k := range width {
			for ring := range height {
				want := float64(truth.Range[ring*width+k])
				dir, _ := beamsOf{spec.Lidar}.Unproject(float64(k), float64(ring))
				if want < spec.Lidar.Min {
					near++
					continue
				}
				p := points[0]
				points = points[1:]
				got := mgl64.Vec3{float64(p.X), float64(p.Y), float64(p.Z)}
				if truth.Labels[ring*width+k] == render.LabelHall && poseWS.Pos[2]+want*dir[2] > hallHeight {
					ceiling++
					want = (hallHeight - poseWS.Pos[2]) / dir[2]
				}
				if int(p.Ring) != ring || !(got.Sub(dir.Mul(want)).Len() <= 1e-4) {
					t.Fatalf("level %s, column %d, ring %d: %v of ring %d, want %v at %v m", level, k, ring, got,
						p.Ring, dir.Mul(want), want)
				}
			}
		}
		t.Logf("%s: %d beams, %d too near, %d at the ceiling", level, width*height, near, ceiling)
		must.Equal(t, len(points), 0, "points beyond those of the ray caster")
	}
}

// hallHeight is the height of the hall's walls, m, as package scenery builds them.
const hallHeight = 5

// While the robot drives and turns, each point is where its beam met the walls and the ceiling of the hall at the
// beam's own time. The oracle knows the robot's pose at each time in closed form: the robot moves at a constant twist.
func TestLidarIsSkewedByMotion(t *testing.T) {
	s := simtest.New(t, simtest.Parse(t, `
name = "skew"
field = "msl-18x12"
physics = { engine = "planar" }
[[robot]]
name = "cyan1"
model = "differential"
number = 1
pose = { x_m = -2, y_m = -1, heading_deg = 30 }
  [[robot.sensor]]
  name = "lidar"
  kind = "lidar"
  level = "ideal"
  mount = { x_m = 0.1, y_m = -0.2, z_m = 1.5, yaw_deg = 40 }
`), omnipitch.Options{})
	spec := simtest.Sensor(t, s.World(), "cyan1", "lidar")
	var cloud *sensors.PointCloud
	s.On("cyan1", "lidar", func(o *sensors.Observation) { cloud = o.Reading.(*sensors.PointCloud) })
	s.Must(&action.Drive{Robot: "cyan1", VX: 2, Omega: 1.5})
	s.Until(2050 * time.Millisecond)
	cloud = nil
	s.Until(2100 * time.Millisecond)
	end := s.Truth().Robots[0]
	v, omega := end.TwistWBInB().VX, end.TwistWBInB().Omega
	if cloud == nil || !(math.Abs(v-2) <= 1e-3) || !(math.Abs(omega-1.5) <= 1e-3) {
		t.Fatalf("no cloud at 2.1 s, or a twist of %v m/s and %v rad/s, want 2 and 1.5", v, omega)
	}
	room, floor := s.Sensors().Scenery().Scene.Room, s.Sensors().Scenery().Scene.Floor
	halfX, halfY := floor.SizeX/2+room.Margin, floor.SizeY/2+room.Margin
	worst, skew, n := 0.0, 0.0, 0
	for _, p := range cloud.Points {
		if p.Ring < 10 { // lower ones may meet goals and boards
			continue
		}
		pS := mgl64.Vec3{float64(p.X), float64(p.Y), float64(p.Z)}
		// closed form of a motion at a constant twist, from the end backwards
		time, heading := float64(p.Time), end.PoseWB.Heading()
		at := spatial.Planar(
			end.PoseWB.Pos[0]+v/omega*(math.Sin(heading+omega*time)-math.Sin(heading)),
			end.PoseWB.Pos[1]-v/omega*(math.Cos(heading+omega*time)-math.Cos(heading)), heading+omega*time)
		hits := func(poseWB spatial.Pose) float64 {
			poseWS := poseWB.Mul(spec.Mount.Pose())
			o, d := poseWS.Pos, poseWS.Rotate(pS.Normalize())
			r := (room.Height - o[2]) / d[2]
			r = min(r, max((halfX-o[0])/d[0], (-halfX-o[0])/d[0]))
			return min(r, max((halfY-o[1])/d[1], (-halfY-o[1])/d[1]))
		}
		worst, skew = max(worst, math.Abs(hits(at)-pS.Len())), max(skew, math.Abs(hits(end.PoseWB)-pS.Len()))
		if math.IsNaN(worst) {
			t.Fatalf("%v has no distance", p)
		}
		n++
	}
	t.Logf("%d points, off by at most %v m; %v m without skew", n, worst, skew)
	if n < 9000 || !(worst <= 5e-4) || !(skew > 0.5) {
		t.Errorf("%d points, off by at most %v m; %v m without skew, want 9000 within 0.5 mm, and more than 0.5 m",
			n, worst, skew)
	}
}

// A cloud does not depend on the number of processors that compute it. Apart from starting their goroutines, a turn
// allocates nothing.
func TestLidarOnManyProcessors(t *testing.T) {
	var want []sensors.LidarPoint
	for _, processors := range []int{1, 2, 5} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			w := simtest.World(t, "lidar", onlyLidar(abstraction.Raw))
			s := simtest.New(t, w, omnipitch.Options{NoWorker: true})
			var got []sensors.LidarPoint
			s.On("cyan1", "lidar", func(o *sensors.Observation) { got = o.Reading.(*sensors.PointCloud).Points })
			s.Steps(201)
			if want == nil {
				want = slices.Clone(got)
			}
			if len(got) < 28_000 || !slices.Equal(got, want) {
				t.Errorf("%d points on %d processors differ from %d points on one", len(got), processors, len(want))
			}
			if n := testing.AllocsPerRun(5, func() { s.Steps(20) }); n > 60 {
				t.Errorf("%v allocations in a turn on %d processors, want at most 60", n, processors)
			}
		}()
	}
}

// A turn of the shipped world's lidar, which has 16 rings of 1,800 beams. The metric is the real-time factor.
func BenchmarkLidar(b *testing.B) {
	for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal, abstraction.Truth} {
		b.Run(string(level), func(b *testing.B) {
			s := simtest.New(b, simtest.World(b, "lidar", onlyLidar(level)), omnipitch.Options{})
			points := 0
			s.On("cyan1", "lidar", func(o *sensors.Observation) {
				points = len(o.Reading.(*sensors.PointCloud).Points)
			})
			s.Steps(100)
			b.ResetTimer()
			b.ReportAllocs()
			for range b.N {
				s.Steps(20)
			}
			b.ReportMetric(0.1*float64(b.N)/b.Elapsed().Seconds(), "x-real-time")
			b.ReportMetric(float64(points), "points")
		})
	}
}
