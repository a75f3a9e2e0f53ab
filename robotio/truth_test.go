//go:build cgo

package robotio

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// The ball is at (3, 0.5) m in front of cyan1's front camera. The range of its labelled pixels is the distance to the
// ball.
func TestGroundTruth(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		s, _ := w.Sensor("cyan1", "front")
		s.Level, s.Annotate = abstraction.Ideal, true
	})
	labels := receive[msg.Image](r, "/cyan1/front/ground_truth/labels", "sensor_msgs/Image")
	ranges := receive[msg.Image](r, "/cyan1/front/ground_truth/range", "sensor_msgs/Image")
	if labels.Encoding != "16UC1" || labels.Step != 1280 || ranges.Encoding != "32FC1" || ranges.Step != 2560 ||
		ranges.Header.FrameID != "cyan1/front_optical" {
		t.Fatalf("%s with rows of %d, %s with rows of %d in %s", labels.Encoding, labels.Step, ranges.Encoding,
			ranges.Step, ranges.Header.FrameID)
	}
	camera, _ := r.sim.Sensors().Camera("cyan1", "front")
	poseWC := r.sim.Truth().Robots[0].PoseWB.Mul(camera.PoseBC())
	want := r.sim.Truth().Ball.PosW.Sub(poseWC.Pos).Len()
	names := r.sim.Sensors().Scenery().Labels()
	list := must.Get(r.robot.GetParam("/omnipitch/labels"))(t)
	for label, got := range list.([]any) {
		if got != names[uint16(label)] { // "" for labels that no pixel has
			t.Errorf("label %d is called %v, want %q", label, got, names[uint16(label)])
		}
		delete(names, uint16(label))
	}
	if len(names) > 0 {
		t.Errorf("the list lacks %v", names)
	}
	names = r.sim.Sensors().Scenery().Labels()
	ball, mark := 0, 0
	for i := range 640 * 480 {
		label := binary.LittleEndian.Uint16(labels.Data[2*i:])
		switch {
		case names[label] == "ball":
			ball++
			got := float64(math.Float32frombits(binary.LittleEndian.Uint32(ranges.Data[4*i:])))
			if !(got >= want-0.12) || !(got <= want+0.01) {
				t.Fatalf("pixel %d of the ball is %v m away, the ball's middle %v", i, got, want)
			}
		case label == render.LabelMark:
			mark++
		}
	}
	if ball < 200 || mark < 1000 {
		t.Errorf("%d pixels of the ball, %d of markings", ball, mark)
	}
	for topic, encoding := range map[string]string{"normals": "32FC3", "flow": "32FC2"} {
		m := receive[msg.Image](r, "/cyan1/front/ground_truth/"+topic, "sensor_msgs/Image")
		if m.Encoding != encoding || int(m.Step)*int(m.Height) != len(m.Data) {
			t.Errorf("%s: %s, %d bytes", topic, m.Encoding, len(m.Data))
		}
	}
}

// A lidar's cloud has the fields of Velodyne's driver, and its points are those of the observation.
func TestLidarPoints(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		c := sensors.Config{Name: "lidar", Kind: "lidar", Mount: sensors.Mount{Z: 1.5}}
		c.Complete()
		w.Robots[0].Sensors = append(w.Robots[0].Sensors, c)
	})
	of := map[time.Duration][]sensors.LidarPoint{}
	_, err := r.sim.Listen("cyan1", "lidar", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		of[o.Stamp] = slices.Clone(o.Reading.(*sensors.PointCloud).Points)
	}})
	must.Do(t, err)
	m := receive[msg.PointCloud2](r, "/cyan1/lidar/points", "sensor_msgs/PointCloud2")
	want := of[time.Duration(m.Header.Stamp.Sec)*time.Second+time.Duration(m.Header.Stamp.Nsec)]
	if n := len(want); n < 20_000 || m.Height != 1 || int(m.Width) != n || m.PointStep != 22 ||
		int(m.RowStep) != 22*n || len(m.Data) != 22*n || !m.IsDense || m.Header.FrameID != "cyan1/lidar" {
		t.Fatalf("%d × %d points of %d bytes, rows of %d, %d in all, in frame %s, want %d points", m.Width, m.Height,
			m.PointStep, m.RowStep, len(m.Data), m.Header.FrameID, n)
	}
	at := map[string]int{}
	for _, f := range m.Fields {
		at[f.Name] = int(f.Offset)
	}
	must.Equal(t, at, map[string]int{"x": 0, "y": 4, "z": 8, "intensity": 12, "ring": 16, "time": 18}, "offsets")
	for i, p := range want {
		data := m.Data[22*i:]
		f := func(name string) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(data[at[name]:])) }
		got := sensors.LidarPoint{X: f("x"), Y: f("y"), Z: f("z"), Intensity: f("intensity"), Time: f("time"),
			Ring: binary.LittleEndian.Uint16(data[at["ring"]:])}
		if got != p {
			t.Fatalf("point %d: %+v, want %+v", i, got, p)
		}
	}
}

// Most points with the colour of the carpet lie on the floor, and there are many.
func TestPoints(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		s, _ := w.Sensor("magenta1", "kinect_left")
		s.Level = abstraction.Ideal
	})
	m := receive[msg.PointCloud2](r, "/magenta1/kinect_left/depth/points", "sensor_msgs/PointCloud2")
	if m.Width != 512 || m.Height != 424 || m.PointStep != 16 || m.RowStep != 16*512 || len(m.Data) != 16*512*424 ||
		m.IsDense {
		t.Fatalf("%d×%d points of %d bytes, rows of %d, %d in all", m.Width, m.Height, m.PointStep, m.RowStep,
			len(m.Data))
	}
	for i, want := range []string{"x", "y", "z", "rgb"} {
		if f := m.Fields[i]; f.Name != want || f.Offset != uint32(4*i) || f.Datatype != 7 || f.Count != 1 {
			t.Errorf("field %d: %+v", i, f)
		}
	}
	camera, _ := r.sim.Sensors().Camera("magenta1", "kinect_left")
	poseWC := r.sim.Truth().Robots[1].PoseWB.Mul(camera.PoseBC())
	green, off, unknown := 0, 0, 0
	for at := 0; at < len(m.Data); at += 16 {
		f := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(m.Data[at+4*i:]))) }
		if math.IsNaN(f(0)) {
			unknown++
			continue
		}
		b, g, red := m.Data[at+12], m.Data[at+13], m.Data[at+14]
		if g < 90 || g < b+50 || g < red+50 {
			continue
		}
		green++
		if p := poseWC.Apply(mgl64.Vec3{f(0), f(1), f(2)}); !(math.Abs(p[2]) <= 0.002) {
			off++ // at an outline, where the pixel's colour is a mixture
		}
	}
	if off > green/1000 {
		t.Errorf("%d of %d points of the carpet's colour do not lie on it", off, green)
	}
	if green < 30_000 || unknown < 10_000 {
		t.Errorf("%d points of the carpet's colour, %d unknown", green, unknown)
	}
}
