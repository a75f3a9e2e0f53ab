package vision_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// kinects are the goalkeeper's Kinects and their mounts.
var kinects = []struct {
	name  string
	mount vision.PinholeMount
}{
	{"kinect_left", vision.PinholeMount{X: 0.26, Y: 0.12, Height: 0.7, Pitch: 12 * math.Pi / 180,
		Yaw: 28 * math.Pi / 180}},
	{"kinect_right", vision.PinholeMount{X: 0.26, Y: -0.12, Height: 0.7, Pitch: 12 * math.Pi / 180,
		Yaw: -28 * math.Pi / 180}},
}

// lobbed is the distance from the goalkeeper at which lobs start, m.
const lobbed = 6

// v1 is the hall with Kinects v1.
const v1 = "v1"

// noise returns the noise of a hall's Kinects, and reach their range, m.
func (h hall) noise() vision.DepthNoise {
	if h.name == v1 {
		return vision.KinectV1
	}
	return vision.KinectV2
}

func (h hall) reach() float64 {
	if h.name == v1 {
		return 5
	}
	return 8
}

// keeper returns a hall's world in which magenta1, with two Kinects, is the goalkeeper.
func (h hall) keeper(t testing.TB, seed int) *worlds.World {
	t.Helper()
	sensor := "{ name = \"%s\", level = \"raw\", ground_truth = true }"
	if h.name == v1 {
		sensor = "{ name = \"%s\", level = \"raw\", ground_truth = true, profile = \"kinect-v1\" }"
	}
	text := fmt.Sprintf("name = \"lobs\"\nseed = %d\n%s\n", seed, h.head) +
		"[[robot]]\nname = \"cyan1\"\nsensor = [{ name = \"omni\", level = \"truth\" }, { name = \"front\", level = " +
		"\"truth\" }]\n" +
		"[[robot]]\nname = \"magenta1\"\nsensor = [" + fmt.Sprintf(sensor+", "+sensor, kinects[0].name,
		kinects[1].name) + "]\n" + crowd
	w := must.Get(worlds.Parse("lobs.toml", []byte(text)))(t)
	w.Time.Speed = timesync.Max
	return w
}

// lob is a ball that lands near a goalkeeper and later lies elsewhere.
type lob struct {
	number int
	moves  bool          // the goalkeeper drives
	down   mgl64.Vec3    // position of the ball's centre at landing, in the world, m
	at     time.Duration // time of landing, as if the goalkeeper were not there
	speed  float64       // m/s
	rise   float64       // rad
	label  uint16        // of the ball's pixels
}

// glimpse is an observation of the goalkeeper, and the truth.
type glimpse struct {
	*sensors.Observation              // lent; nil at the end of a lob
	kinect               int          // its number
	robot                spatial.Pose // pose of the goalkeeper in the world
	ball                 mgl64.Vec3   // in the robot's frame, m
}

// flown returns where and when a ball lands, by small steps of the textbook's equation, for a ball of 0.43 kg in air of
// 1.2 kg/m³.
func flown(pos, vel mgl64.Vec3, coefficient float64) (mgl64.Vec3, time.Duration) {
	const h = 1e-4
	drag, n := coefficient*1.2*math.Pi*0.11*0.11/(2*0.43), 0
	for ; pos[2] > 0.11 || vel[2] > 0; n++ {
		middle := pos.Add(vel.Mul(h / 2))
		a := vel.Mul(-drag * vel.Len())
		a[2] -= 9.81
		vel = vel.Add(a.Mul(h))
		pos = middle.Add(vel.Mul(h / 2))
	}
	return pos, time.Duration(n) * 100 * time.Microsecond
}

// lobs lobs n random balls from 6 m at a goalkeeper in random light. Each then lies at a random place. Every second
// goalkeeper drives. It calls odometry with readings, and see with each delivered image, and without one after each
// lob.
func lobs(t testing.TB, w *worlds.World, seed uint64, n int, odometry func(stamp time.Duration,
	o *sensors.OdometryReading), see func(l *lob, now time.Duration, g glimpse)) {
	t.Helper()
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	self := 0
	for k := range w.Robots {
		if w.Robots[k].Name == "magenta1" {
			self = k
		}
	}
	truths := map[time.Duration]glimpse{}
	sim.OnStep(func(s *physics.Snapshot) {
		pose := s.Robots[self].PoseWB
		truths[s.Time] = glimpse{robot: pose, ball: pose.Inverse().Apply(s.Ball.PosW)}
	})
	var l *lob
	from := time.Duration(0) // earlier images show bodies at their old places
	listen := func(name string, f func(*sensors.Observation)) {
		if _, err := sim.Listen("magenta1", name,
			omnipitch.Listener{Wants: func(abstraction.Level) bool { return l != nil }, Observe: f}); err != nil {
			t.Fatal(err)
		}
	}
	for k := range kinects {
		listen(kinects[k].name, func(o *sensors.Observation) {
			if g, ok := truths[o.Stamp]; ok && o.Stamp > from {
				g.Observation, g.kinect = o, k
				see(l, sim.Truth().Time, g)
			}
		})
	}
	listen("odometry", func(o *sensors.Observation) { odometry(o.Stamp, o.Reading.(*sensors.OdometryReading)) })
	do := func(a action.Action) {
		must.Do(t, sim.Do(a))
	}
	steps := func(until time.Duration) {
		for sim.Truth().Time < until {
			must.Do(t, sim.Step())
		}
	}
	for i := range n {
		clear(truths)
		next := &lob{number: i, moves: i%2 == 1, label: uint16(int(render.LabelBody) + sim.Sensors().Scenery().Ball())}
		p := &placing{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		var x, y, heading, bearing, bx, by float64
		for bx = 100; math.Abs(bx) > 8.8 || math.Abs(by) > 5.8; {
			x, y, heading = p.between(-8.5, 8.5), p.between(-5.5, 5.5), p.between(-math.Pi, math.Pi)
			bearing = heading + p.between(-0.6, 0.6)
			bx, by = x+lobbed*math.Cos(bearing), y+lobbed*math.Sin(bearing)
		}
		start := mgl64.Vec3{bx, by, 0.111}
		var vel mgl64.Vec3
		var span time.Duration
		for far := 0.0; !(far > 4 && far < 7); far = next.down.Sub(start).Len() {
			next.speed, next.rise = p.between(6.5, 9.5), p.between(25, 60)*math.Pi/180
			side := bearing + math.Pi + p.between(-0.2, 0.2)
			vel = mgl64.Vec3{math.Cos(next.rise) * math.Cos(side), math.Cos(next.rise) * math.Sin(side),
				math.Sin(next.rise)}.Mul(next.speed)
			next.down, span = flown(start, vel, w.Ball.Drag)
		}
		do(&action.Place{Name: "magenta1", X: x, Y: y, Heading: heading})
		p.taken = append(p.taken, [3]float64{x, y, 0.8}, [3]float64{bx, by, 0.5})
		beside := func() (ox, oy float64) { // beside the ball's path
			for range 1000 {
				ox, oy = p.between(-8.5, 8.5), p.between(-5.5, 5.5)
				along := math.Cos(bearing)*(ox-x) + math.Sin(bearing)*(oy-y)
				across := math.Abs(math.Cos(bearing)*(oy-y) - math.Sin(bearing)*(ox-x))
				if across > 1.8 || along < -1.5 || along > 7 {
					break
				}
			}
			return ox, oy
		}
		for k := range w.Robots {
			if k != self {
				ox, oy := p.place(0.3, beside)
				do(&action.Place{Name: w.Robots[k].Name, X: ox, Y: oy, Heading: p.between(-math.Pi, math.Pi)})
			}
		}
		for k := range w.Obstacles {
			ox, oy := p.place(0.4, beside)
			do(&action.Place{Name: w.Obstacles[k].Name, X: ox, Y: oy, Heading: p.between(-math.Pi, math.Pi)})
		}
		lamp, ambient := math.Exp2(p.between(-1.2, 0.5)), math.Exp2(p.between(-1.2, 0.5))
		do(&action.SetLight{Lamp: &lamp, Ambient: &ambient})
		do(&action.Place{Name: "ball", X: bx, Y: by})
		do(&action.Drive{Robot: "magenta1", Stop: true})
		steps(sim.Truth().Time + 1300*time.Millisecond) // sightings from before are forgotten
		next.at = sim.Truth().Time + time.Hour
		from, l = sim.Truth().Time, next
		if next.moves {
			do(&action.Drive{Robot: "magenta1", VX: p.between(-0.5, 0.5), VY: p.between(-1, 1),
				Omega: p.between(-0.8, 0.8)})
		}
		steps(sim.Truth().Time + 500*time.Millisecond) // the goalkeeper drives steadily and sees the ball on the floor
		do(&action.Place{Name: "ball", X: start[0], Y: start[1], Z: start[2], VX: vel[0], VY: vel[1], VZ: vel[2]})
		next.at = sim.Truth().Time + span
		steps(next.at)
		see(l, sim.Truth().Time, glimpse{})
		// Then the ball lies anywhere before the goalkeeper, once far away.
		for _, nearest := range []float64{0.8, 5.5} {
			pose := sim.Truth().Robots[self].PoseWB
			distance, side := p.between(nearest, 7.5), pose.Heading()+p.between(-0.9, 0.9)
			do(&action.Place{Name: "ball", X: pose.Pos[0] + distance*math.Cos(side), Y: pose.Pos[1] +
				distance*math.Sin(side)})
			from = sim.Truth().Time
			steps(sim.Truth().Time + 80*time.Millisecond)
		}
		l = nil
	}
}

// pinholes returns the Kinects' cameras from their camera_info.
func pinholes(t testing.TB, w *worlds.World) (all [2]*vision.Pinhole) {
	t.Helper()
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	for i := range kinects {
		cam, _ := sim.Sensors().Camera("magenta1", kinects[i].name)
		k, model, d := optics.Lens(cam.Model())
		width, height := cam.Model().Size()
		if all[i], err = vision.NewPinhole(width, height, [9]float64{k.FX, 0, k.CX, 0, k.FY, k.CY, 0, 0, 1}, model,
			d); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// millimetres appends a depth image in the format of profile standard.
func millimetres(d *render.Depth, into []byte) []byte {
	for _, z := range d.Z {
		mm := render.Millimetres(z)
		into = append(into, byte(mm), byte(mm>>8))
	}
	return into
}

// kinectColors returns a colour table from labelled pixels of some images. It is made once.
func (h hall) kinectColors(t testing.TB) *vision.ColorTable {
	if h.table != "" {
		h = natural
	}
	if tables[h.name+"kinect"] != nil {
		return tables[h.name+"kinect"]
	}
	samples := new(calibration.ColorHistogram)
	n := 0
	lobs(t, h.keeper(t, 2), 1000, 1, func(time.Duration, *sensors.OdometryReading) {}, func(l *lob, _ time.Duration,
		g glimpse) {
		if n++; g.Observation == nil || n%4 != 0 {
			return
		}
		for i, label := range g.Truth.Labels {
			p := g.Color.Pix[3*i:]
			samples.Add(p[0], p[1], p[2], int(classOf(label, l.label, p)))
		}
	})
	tables[h.name+"kinect"] = vision.TableOf(t, samples)
	return tables[h.name+"kinect"]
}
