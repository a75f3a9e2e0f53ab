//go:build cgo

package robotio

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

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
