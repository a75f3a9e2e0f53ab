package ros1

import (
	"archive/tar"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// needProgram skips a test if one of Debian's programs is missing.
func needProgram(t testing.TB, path, pkg string) string {
	t.Helper()
	needROS(t)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s: apt-get install %s", filepath.Base(path), pkg)
	}
	return path
}

// needModule skips a test if a Python module of Debian is missing.
func needModule(t testing.TB, module, pkg string) {
	t.Helper()
	if exec.Command(debianPython, "-c", "import "+module).Run() != nil {
		t.Skipf("no %s: apt-get install %s", module, pkg)
	}
}

// camera publishes an image and its camera_info repeatedly, with equal stamps, as /cam/image_raw and /cam/camera_info.
func camera(t testing.TB, n *Node, picture *msg.Image, info *msg.CameraInfo) {
	t.Helper()
	img := must.Get(AdvertiseImage(n, "/cam/image_raw", 0))(t)
	cam := must.Get(Advertise[msg.CameraInfo](n, "/cam/camera_info", "sensor_msgs/CameraInfo", PubOptions{}))(t)
	stamp := uint32(1)
	repeat(t, func() {
		stamp++
		m, i := *picture, *info
		m.Header.Stamp.Sec, i.Header.Stamp.Sec, i.Header.FrameID = stamp, stamp, m.Header.FrameID
		_ = img.Publish(&m, nil) // NewImage has checked it
		cam.Publish(&i)
	})
}

// TestImageProc uses image_proc, a nodelet manager with OpenCV, as the oracle: it rectifies an image of pixel
// coordinates as our camera_info says.
func TestImageProc(t *testing.T) {
	program := needProgram(t, "/usr/lib/image_proc/image_proc", "ros-image-proc")
	withMasters(t, func(t *testing.T, uri string) {
		n := newNode(t, uri, "/omnipitch")
		c := distorted
		raw := &msg.Image{Header: msg.Header{FrameID: "cam"}, Height: uint32(c.height), Width: uint32(c.width),
			Encoding: "bgr8", Step: uint32(3 * c.width)}
		for v := range c.height {
			for u := range c.width { // blue is the column, green the row
				raw.Data = append(raw.Data, uint8(u*255/c.width), uint8(v), 50)
			}
		}
		camera(t, n, raw, c.info())
		startEnv(t, uri, nodeletWorkspace(t), program, "__ns:=/cam")
		got := make(chan *msg.Image, 1000)
		must.Get(Subscribe(n, "/cam/image_rect_color", "sensor_msgs/Image", func(m *msg.Image) { got <- m }))(t)
		m := recv(t, got)
		if m.Width != raw.Width || m.Height != raw.Height || m.Encoding != "bgr8" || m.Header.FrameID != "cam" ||
			m.Header.Stamp.Sec < 2 {
			t.Fatalf("%d×%d %s %+v", m.Width, m.Height, m.Encoding, m.Header)
		}
		worst, seen := 0.0, 0
		for v := range c.height {
			for u := range c.width {
				x, y := c.distort((float64(u)-c.cx)/c.fx, (float64(v)-c.cy)/c.fy)
				col, row := x*c.fx+c.cx, y*c.fy+c.cy
				if col < 1 || row < 1 || col > float64(c.width-2) || row > float64(c.height-2) {
					continue // image_proc has no pixel there
				}
				p := m.Data[v*int(m.Step)+3*u:]
				worst = max(worst, math.Abs(float64(p[0])-col*255/float64(c.width)), math.Abs(float64(p[1])-row),
					math.Abs(float64(p[2])-50))
				seen++
			}
		}
		// Levels are rounded down, and OpenCV interpolates in steps of 1/32 pixel and rounds again.
		if !(worst <= 1.6) || seen < c.width*c.height*9/10 {
			t.Errorf("%d pixels differ by up to %.2f levels: must be within 1.6", seen, worst)
		}
	})
}

// TestCameraCheck uses camera_calibration's cameracheck as the oracle: after image_proc has rectified our distorted
// chessboard by our camera_info, its lines are straight and at the pixels of a pinhole camera.
func TestCameraCheck(t *testing.T) {
	proc := needProgram(t, "/usr/lib/image_proc/image_proc", "ros-image-proc")
	check := needProgram(t, "/usr/lib/camera_calibration/cameracheck.py", "ros-camera-calibration")
	needModule(t, "cv_bridge", "python3-cv-bridge")
	needModule(t, "image_geometry", "python3-image-geometry")
	withMasters(t, func(t *testing.T, uri string) {
		n := newNode(t, uri, "/omnipitch")
		camera(t, n, distorted.picture(distorted.rays(), board{pos: [3]float64{0.02, -0.03, 1.1}, yaw: 0.3,
			pitch: -0.2}.light()), distorted.info())
		startEnv(t, uri, nodeletWorkspace(t), proc, "__ns:=/cam")
		p := start(t, uri, debianPython, "-u", check, "--size", "8x6", "--square", fmt.Sprint(square),
			"monocular:=/cam")
		p.says("Linearity RMS Error")
		m := regexp.MustCompile(
			`Linearity RMS Error: ([0-9.]+) Pixels +Reprojection RMS Error: ([0-9.]+) Pixels`).FindStringSubmatch(
			p.output())
		if m == nil {
			t.Fatal(p.output())
		}
		// Corners are accurate to about a tenth of a pixel. Without k1 in camera_info, the values are 0.7 and 0.5.
		for i, what := range []string{"linearity", "reprojection"} {
			if e, err := strconv.ParseFloat(m[i+1], 64); err != nil || !(e <= 0.2) {
				t.Errorf("%s: %v pixels, %v: must be at most 0.2", what, e, err)
			}
		}
	})
}

// TestTarfileCalibration uses camera_calibration as the oracle: from images of boards, it computes the camera that made
// them.
func TestTarfileCalibration(t *testing.T) {
	program := needProgram(t, "/usr/lib/camera_calibration/tarfile_calibration.py", "ros-camera-calibration")
	needModule(t, "cv_bridge", "python3-cv-bridge")
	needModule(t, "image_geometry", "python3-image-geometry")
	t.Parallel()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	c := distorted
	rays := c.rays()
	for i := range 12 {
		a := float64(i) * math.Pi / 6
		b := board{pos: [3]float64{0.12 * math.Cos(a), 0.1 * math.Sin(a), 1.0 + 0.03*float64(i)},
			yaw: 0.5 * math.Sin(a), pitch: 0.4 * math.Cos(2*a)}
		m := c.picture(rays, b.light())
		var file bytes.Buffer
		must.Do(t, png.Encode(&file, &image.Gray{Pix: m.Data, Stride: c.width, Rect: image.Rect(0, 0, c.width,
			c.height)}))
		must.Do(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("left-%04d.png", i), Mode: 0o600,
			Size: int64(file.Len())}))
		must.Get(w.Write(file.Bytes()))(t)
	}
	name := filepath.Join(t.TempDir(), "boards.tar")
	must.Do(t, w.Close())
	must.Do(t, os.WriteFile(name, archive.Bytes(), 0o600))
	out := run(t, newMaster(t).URI(), debianPython, program, "--mono", "-s", "8x6", "-q", fmt.Sprint(square), name)
	numbers := func(after string, n int) (list []float64) {
		_, text, _ := strings.Cut(out, after+"\n")
		for _, f := range strings.Fields(text)[:min(n, len(strings.Fields(text)))] {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatalf("%s: %v\n%s", after, err, out)
			}
			list = append(list, v)
		}
		if len(list) < n {
			t.Fatalf("no %s in:\n%s", after, out)
		}
		return list
	}
	k, d := numbers("camera matrix", 9), numbers("distortion", 5)
	// Twelve small boards give one percent of the focal length, one pixel, and this bound of the distortion.
	for _, q := range []struct {
		what           string
		got, want, tol float64
	}{
		{"fx", k[0], c.fx, 2.5}, {"fy", k[4], c.fy, 2.5}, {"cx", k[2], c.cx, 1}, {"cy", k[5], c.cy, 1},
		{"k1", d[0], c.k1, 0.03}, {"k2", d[1], c.k2, 0.1}, {"p1", d[2], c.p1, 0.002}, {"p2", d[3], c.p2, 0.002},
	} {
		if !scalar.EqualWithinAbs(q.got, q.want, q.tol) {
			t.Errorf("%s = %v, want %v within %v", q.what, q.got, q.want, q.tol)
		}
	}
}

// TestImageSaver uses image_view's image_saver as the oracle: its file has our pixels.
func TestImageSaver(t *testing.T) {
	program := needProgram(t, "/usr/lib/image_view/image_saver", "ros-image-view")
	withMasters(t, func(t *testing.T, uri string) {
		n := newNode(t, uri, "/omnipitch")
		raw := colourful(64, 48)
		camera(t, n, raw, (testCamera{width: 64, height: 48, fx: 50, fy: 50, cx: 32, cy: 24}).info())
		folder := t.TempDir()
		start(t, uri, program, "image:=/cam/image_raw", "_filename_format:="+folder+"/x%02i.png")
		var saved image.Image
		must.Until(t, "a picture", func() bool {
			files, _ := filepath.Glob(folder + "/*.png")
			if len(files) == 0 {
				return false
			}
			f, err := os.Open(files[0])
			if err != nil {
				return false
			}
			defer f.Close()
			saved, err = png.Decode(f) // an incomplete file does not decode
			return err == nil
		})
		wantPixels(t, saved, raw)
	})
}

// colourful returns a bgr8 image with different pixels.
func colourful(w, h int) *msg.Image {
	m := &msg.Image{
		Header:   msg.Header{FrameID: "cam"},
		Height:   uint32(h),
		Width:    uint32(w),
		Encoding: "bgr8",
		Step:     uint32(3 * w),
	}
	for v := range h {
		for u := range w {
			m.Data = append(m.Data, uint8(u), uint8(v), uint8(u^v+100))
		}
	}
	return m
}

func wantPixels(t testing.TB, got image.Image, want *msg.Image) {
	t.Helper()
	if got.Bounds().Dx() != int(want.Width) || got.Bounds().Dy() != int(want.Height) {
		t.Fatalf("%v, want %d×%d", got.Bounds(), want.Width, want.Height)
	}
	for v := range int(want.Height) {
		for u := range int(want.Width) {
			p := want.Data[v*int(want.Step)+3*u:]
			w := color.RGBA{p[2], p[1], p[0], 255}
			if g := color.RGBAModel.Convert(got.At(u, v)); g != w {
				t.Fatalf("pixel (%d, %d) = %v, want %v", u, v, g, w)
			}
		}
	}
}

// TestImageView uses image_view on a virtual screen as the oracle: it republishes the image that it shows.
func TestImageView(t *testing.T) {
	program := needProgram(t, "/usr/lib/image_view/image_view", "ros-image-view")
	xvfb := needProgram(t, "/usr/bin/Xvfb", "xvfb")
	withMasters(t, func(t *testing.T, uri string) {
		n := newNode(t, uri, "/omnipitch")
		raw := colourful(160, 120)
		camera(t, n, raw, (testCamera{width: 160, height: 120, fx: 100, fy: 100, cx: 80, cy: 60}).info())
		// The screen prints its number when it is ready.
		screen := start(t, uri, xvfb, "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp")
		must.Until(t, "a screen", func() bool { return regexp.MustCompile(`(?m)^\d+$`).MatchString(screen.output()) })
		display := regexp.MustCompile(`(?m)^\d+$`).FindString(screen.output())
		startEnv(
			t,
			uri,
			append(nodeletWorkspace(t), "DISPLAY=:"+display),
			program,
			"image:=/cam/image_raw",
			"__name:=view",
		)
		got := make(chan *msg.Image, 1000)
		must.Get(Subscribe(n, "/view/output", "sensor_msgs/Image", func(m *msg.Image) { got <- m }))(t)
		if m := recv(t, got); m.Encoding != "bgr8" || !bytes.Equal(m.Data, raw.Data) {
			t.Errorf("%d×%d %s: the picture changed", m.Width, m.Height, m.Encoding)
		}
	})
}

// TestRepublish uses image_transport's plugins as the oracle: they pass our image on unchanged, raw or as PNG.
func TestRepublish(t *testing.T) {
	program := needProgram(t, "/usr/lib/image_transport/republish", "image-transport-tools")
	withMasters(t, func(t *testing.T, uri string) {
		n := newNode(t, uri, "/omnipitch")
		raw := colourful(64, 48)
		camera(t, n, raw, (testCamera{width: 64, height: 48, fx: 50, fy: 50, cx: 32, cy: 24}).info())
		start(t, uri, program, "raw", "in:=/cam/image_raw", "raw", "out:=/again")
		got := make(chan *msg.Image, 1000)
		must.Get(Subscribe(n, "/again", "sensor_msgs/Image", func(m *msg.Image) { got <- m }))(t)
		if m := recv(t, got); m.Encoding != "bgr8" || m.Step != raw.Step || m.Header.FrameID != "cam" ||
			!bytes.Equal(m.Data, raw.Data) {
			t.Errorf("%d×%d %s: the picture changed", m.Width, m.Height, m.Encoding)
		}
	})
}
