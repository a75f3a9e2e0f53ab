package ros1

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

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

// TestNodelet uses the nodelet program as the oracle: a manager and a nodelet connect to our node, and unload again.
func TestNodelet(t *testing.T) {
	program := needProgram(t, "/usr/lib/nodelet/nodelet", "libnodeletlib-tools")
	needProgram(t, "/usr/lib/image_proc/image_proc", "ros-image-proc")
	uri := embedded(t)
	n := newNode(t, uri, "/omnipitch")
	env := nodeletWorkspace(t)
	raw := colourful(64, 48)
	camera(t, n, raw, (testCamera{width: 64, height: 48, fx: 50, fy: 50, cx: 32, cy: 24}).info())
	startEnv(t, uri, env, program, "manager", "__name:=manager")
	load := startEnv(t, uri, env, program, "load", "image_proc/crop_decimate", "manager", "__name:=half",
		"camera/image_raw:=/cam/image_raw", "camera/camera_info:=/cam/camera_info",
		"camera_out/image_raw:=/half/image_raw", "camera_out/camera_info:=/half/camera_info",
		"_decimation_x:=2", "_decimation_y:=2")
	got := received[msg.Image](t, n, "/half/image_raw", "sensor_msgs/Image")
	m := recv(t, got)
	if m.Width != 32 || m.Height != 24 || m.Encoding != "bgr8" {
		t.Fatalf("%d×%d %s, want 32×24 bgr8", m.Width, m.Height, m.Encoding)
	}
	for v := range 24 {
		for u := range 32 {
			for c := range 3 { // every second pixel of every second row
				if g, w := m.Data[v*int(m.Step)+3*u+c], raw.Data[2*v*int(raw.Step)+6*u+c]; g != w {
					t.Fatalf("pixel (%d, %d)[%d] = %d, want %d", u, v, c, g, w)
				}
			}
		}
	}
	load.signal(syscall.SIGINT) // this unloads the nodelet
	must.Until(t, "the nodelet to go", func() bool {
		state, err := n.callMaster(t.Context(), "getPublishedTopics", "/half")
		return err == nil && len(state.([]any)) == 0
	})
}
