package output

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// A run writes each cloud of a lidar as a PCD file, whose points are those of the observation, and a line in the index.
func TestClouds(t *testing.T) {
	w := must.Get(worlds.Parse("w.toml", []byte(`
name = "w"
physics = { engine = "planar" }
[[robot]]
name = "a"
model = "differential"
sensor = [{ name = "lidar", kind = "lidar", level = "truth", mount = { x_m = 0.1, z_m = 1 }, lidar = { points_per_turn = 90 } }]
`)))(t)
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	dir := t.TempDir()
	r := must.Get(NewRecorder(sim, must.Get(Open("--out", dir, true))(t), nil, func() {}))(t)
	var points []sensors.LidarPoint
	_, err := sim.Listen("a", "lidar", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		points = append(points[:0], o.Reading.(*sensors.PointCloud).Points...)
	}})
	must.Do(t, err)
	_, err = sim.Run(t.Context(), omnipitch.Pace{For: 150 * time.Millisecond, Speed: timesync.Max})
	must.Do(t, err)
	must.Do(t, r.Close())
	var last *indexJSON
	for _, x := range lines[*indexJSON](t, filepath.Join(dir, framesFile)) {
		if x.Sensor == "lidar" {
			last = x
		}
	}
	if last == nil || last.LidarPose == nil || last.CameraPose != nil || last.Stamp != 0.1 {
		t.Fatalf("last line of the lidar: %+v, want one at 0.1 s with the lidar's pose", last)
	}
	must.Near(t, "height of the lidar", last.LidarPose.Position[2], 1, 1e-3)
	text, data, _ := strings.Cut(string(must.Get(os.ReadFile(filepath.Join(dir, last.File)))(t)), "DATA binary\n")
	n := len(points)
	if !strings.Contains(text, "FIELDS x y z intensity ring time\n") || len(data) != 22*n || n < 1000 {
		t.Fatalf("%q with %d bytes for %d points", text, len(data), len(points))
	}
	for i, p := range points {
		if z := math.Float32frombits(binary.LittleEndian.Uint32([]byte(data[22*i+8:]))); z != p.Z {
			t.Fatalf("point %d: z = %v, want %v", i, z, p.Z)
		}
	}
}
