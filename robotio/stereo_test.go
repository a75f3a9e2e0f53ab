//go:build cgo

package robotio

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// disparityImage is stereo_msgs/DisparityImage.
type disparityImage struct {
	Header                             msg.Header
	Image                              msg.Image
	F, T                               float32
	ValidWindow                        msg.RegionOfInterest
	MinDisparity, MaxDisparity, DeltaD float32
}

// The right camera_info has the baseline, and disparities and depths of one instant belong together.
func TestStereoTopics(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		c := sensors.Config{Name: "pair", Kind: sensors.StereoKind, Mount: sensors.Mount{X: 0.2, Z: 0.8}, Rate: 20}
		c.Complete()
		c.Image.Width, c.Image.Height = 168, 94
		w.Robots[0].Sensors = append(w.Robots[0].Sensors, c)
	})
	left := receive[msg.CameraInfo](r, "/cyan1/pair/left/camera_info", "sensor_msgs/CameraInfo")
	right := receive[msg.CameraInfo](r, "/cyan1/pair/right/camera_info", "sensor_msgs/CameraInfo")
	must.Near(t, "focal length", right.K[0], 87.5, 1e-6) // a quarter of the ZED's 350 pixels
	must.Near(t, "Tx of the right camera", right.P[3], -87.5*0.12, 1e-6)
	must.Near(t, "Tx of the left camera", left.P[3], 0, 0)
	m := receive[disparityImage](r, "/cyan1/pair/disparity", "stereo_msgs/DisparityImage")
	if m.Image.Encoding != "32FC1" || len(m.Image.Data) != 4*168*94 || m.Image.Header.FrameID != m.Header.FrameID {
		t.Fatalf("%s, %d bytes in %q", m.Image.Encoding, len(m.Image.Data), m.Image.Header.FrameID)
	}
	must.Near(t, "f·T", float64(m.F*m.T), 10.5, 1e-4)
	known := 0
	for at := 0; at < len(m.Image.Data); at += 4 {
		switch d := math.Float32frombits(binary.LittleEndian.Uint32(m.Image.Data[at:])); {
		case d == -1:
		case d >= m.MinDisparity && d <= m.MaxDisparity:
			known++
		default:
			t.Fatalf("disparity %v: want −1, or %v to %v", d, m.MinDisparity, m.MaxDisparity)
		}
	}
	if known < 100 {
		t.Errorf("%d pixels have a disparity", known)
	}
	eye := receive[msg.Image](r, "/cyan1/pair/right/image_raw", "sensor_msgs/Image")
	if eye.Encoding != "rgb8" || len(eye.Data) != 3*168*94 {
		t.Errorf("right image: %s, %d bytes", eye.Encoding, len(eye.Data))
	}
}
