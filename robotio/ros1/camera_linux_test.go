package ros1

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
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

// testCamera is a pinhole camera with plumb_bob distortion, in pixels and OpenCV's terms.
type testCamera struct {
	width, height  int
	fx, fy, cx, cy float64
	k1, k2, p1, p2 float64
}

var distorted = testCamera{width: 320, height: 240, fx: 250, fy: 248, cx: 161, cy: 118, k1: -0.25, k2: 0.06, p1: 0.001,
	p2: -0.0005}

func (c testCamera) info() *msg.CameraInfo {
	return &msg.CameraInfo{Height: uint32(c.height), Width: uint32(c.width), DistortionModel: "plumb_bob",
		D: []float64{c.k1, c.k2, c.p1, c.p2, 0},
		K: [9]float64{c.fx, 0, c.cx, 0, c.fy, c.cy, 0, 0, 1}, R: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1},
		P: [12]float64{c.fx, 0, c.cx, 0, 0, c.fy, c.cy, 0, 0, 0, 1, 0}}
}

// distort returns the normalised image coordinates of the ray (x, y, 1). Source: OpenCV, calib3d.
func (c testCamera) distort(x, y float64) (float64, float64) {
	r2 := x*x + y*y
	k := 1 + c.k1*r2 + c.k2*r2*r2
	return x*k + 2*c.p1*x*y + c.p2*(r2+2*x*x), y*k + c.p1*(r2+2*y*y) + 2*c.p2*x*y
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
	uri := embedded(t)
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
	got := received[msg.Image](t, n, "/cam/image_rect_color", "sensor_msgs/Image")
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
}

// TestImageSaver uses image_view's image_saver as the oracle: its file has our pixels.
func TestImageSaver(t *testing.T) {
	program := needProgram(t, "/usr/lib/image_view/image_saver", "ros-image-view")
	uri := embedded(t)
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

// TestRepublish uses image_transport's plugins as the oracle: they pass our image on unchanged, raw or as PNG.
func TestRepublish(t *testing.T) {
	program := needProgram(t, "/usr/lib/image_transport/republish", "image-transport-tools")
	uri := embedded(t)
	n := newNode(t, uri, "/omnipitch")
	raw := colourful(64, 48)
	camera(t, n, raw, (testCamera{width: 64, height: 48, fx: 50, fy: 50, cx: 32, cy: 24}).info())
	start(t, uri, program, "raw", "in:=/cam/image_raw", "raw", "out:=/again")
	got := received[msg.Image](t, n, "/again", "sensor_msgs/Image")
	if m := recv(t, got); m.Encoding != "bgr8" || m.Step != raw.Step || m.Header.FrameID != "cam" ||
		!bytes.Equal(m.Data, raw.Data) {
		t.Errorf("%d×%d %s: the picture changed", m.Width, m.Height, m.Encoding)
	}
}

// nodelets are the plugins that tests load, by package. Debian ships the libraries with the programs, but their
// description files with 270 MB of headers, in libimage-proc-dev and libimage-view-dev.
var nodelets = map[string]map[string]string{
	"image_proc": {
		"image_proc/debayer": "image_proc::DebayerNodelet", "image_proc/rectify": "image_proc::RectifyNodelet",
		"image_proc/resize": "image_proc::ResizeNodelet", "image_proc/crop_decimate": "image_proc::CropDecimateNodelet",
	},
	"image_view": {"image_view/image": "image_view::ImageNodelet"},
}

// nodeletWorkspace creates a catkin workspace for plugin loaders, and returns the environment that points to it.
func nodeletWorkspace(t testing.TB) []string {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for pkg, classes := range nodelets {
		text := fmt.Sprintf("<library path=\"lib%s\">\n", pkg)
		for name, class := range classes {
			text += fmt.Sprintf("<class name=%q type=%q base_class_type=\"nodelet::Nodelet\"/>\n", name, class)
		}
		share := filepath.Join(root, "share", pkg)
		write(filepath.Join(share, "nodelet_plugins.xml"), text+"</library>\n")
		write(filepath.Join(share, "package.xml"), fmt.Sprintf(`<package><name>%s</name><version>1.17.0</version>
<description>x</description>
<maintainer email="x@example.com">x</maintainer><license>BSD</license>
<buildtool_depend>catkin</buildtool_depend><run_depend>nodelet</run_depend>
<export><nodelet plugin="${prefix}/nodelet_plugins.xml"/></export></package>`, pkg))
		libraries, _ := filepath.Glob("/usr/lib/*/lib" + pkg + ".so.*")
		if len(libraries) == 0 {
			continue // the program that needs it is missing, too
		}
		must.Do(t, os.MkdirAll(filepath.Join(root, "lib"), 0o700))
		must.Do(t, os.Symlink(libraries[0], filepath.Join(root, "lib", "lib"+pkg+".so")))
	}
	return []string{"ROS_IP=127.0.0.1", "ROS_PACKAGE_PATH=" + root + "/share:/usr/share", "CMAKE_PREFIX_PATH=" + root,
		"LD_LIBRARY_PATH=" + root + "/lib"}
}
