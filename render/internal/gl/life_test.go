package gl_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
)

// The test runs itself again in an environment in which EGL finds no driver.
func TestMissingDriverIsNamed(t *testing.T) {
	const again = "OMNIPITCH_TEST_NO_DRIVER"
	if os.Getenv(again) != "" {
		_, err := gl.New(bare())
		if !errors.Is(err, render.ErrNoContext) {
			t.Fatalf("New = %v, want render.ErrNoContext", err)
		}
		if !strings.Contains(err.Error(), "libgl1-mesa-dri") {
			t.Errorf("error %q names no package", err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMissingDriverIsNamed$", "-test.v")
	cmd.Env = append(os.Environ(), again+"=1", "__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestClose(t *testing.T) {
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	view := colorView(kinect(), forward(mgl64.Vec3{0, 0, 1}, 0, 0, 0))
	once := func() {
		r, err := gl.New(bare())
		if err != nil {
			t.Fatal(err)
		}
		draw(t, r, nil, view)
		r.Close()
		r.Close()
		if err := r.Render(&render.Batch{}); err == nil {
			t.Error("Render after Close reports no error")
		}
	}
	once()
	once()
	before := threads()
	for range 6 {
		once()
	}
	if after := threads(); after > before+2 { // Go may start one of its own
		t.Errorf("%d threads after six more renderers, %d before", after, before)
	}
}

func TestSeveralRenderersAtOnce(t *testing.T) {
	done := make(chan error)
	for range 3 {
		go func() {
			r, err := gl.New(bare(ball(0.2)))
			if err == nil {
				view := colorView(kinect(), forward(mgl64.Vec3{0, 0, 1}, 0, 0, 0))
				for range 5 {
					err = errors.Join(err, r.Render(&render.Batch{PosesWB: []spatial.Pose{spatial.Identity()},
						Views: []render.View{view}}))
				}
				r.Close()
			}
			done <- err
		}()
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestWrongInputIsAnError(t *testing.T) {
	r := renderer(t, bare(ball(0.2)))
	poses := []spatial.Pose{spatial.Identity()}
	small := colorView(kinect(), spatial.Identity())
	small.Color = render.NewImage(10, 10)
	depth := colorView(omni(), spatial.Identity())
	depth.Depth = render.NewDepth(640, 640)
	for name, f := range map[string]*render.Batch{
		"a pose too few":      {},
		"image of wrong size": {PosesWB: poses, Views: []render.View{small}},
		"depth of a mirror":   {PosesWB: poses, Views: []render.View{depth}},
	} {
		if err := r.Render(f); err == nil || !strings.HasPrefix(err.Error(), "render/gl: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	broken := bare(ball(0.2))
	broken.Meshes[0].Indices[4] = 1e6
	if _, err := gl.New(broken); err == nil {
		t.Error("an index beyond the vertices is accepted")
	}
}
