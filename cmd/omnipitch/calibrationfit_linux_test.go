package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// The table that --fit writes gives a camera that sees each mark of the floor where the real camera saw it.
func TestFittedCameraSeesTheMarks(t *testing.T) {
	const marksFile = "../../render/calibration/testdata/falcons-1.csv"
	marks, _, err := calibration.ReadMarks(must.Get(os.Open(marksFile))(t))
	must.Do(t, err)
	for _, lens := range []string{"", "fisheye", "unified", "ocamcalib"} {
		dir := t.TempDir()
		table := filepath.Join(dir, "camera.toml")
		args := []string{"calibration", "--fit", marksFile, "--size", "820x616", "--out", table}
		if lens != "" {
			args = append(args, "--lens", lens)
		}
		prints(t, console.ExitDone, "301 marks in 1 views, without 16 on the image's border", args...)
		world := filepath.Join(dir, "world.toml")
		must.Write(t, world, "name = \"fitted\"\nball = false\n[[robot]]\nname = \"r\"\nmodel = \"differential\"\n"+
			read(t, table))
		w := must.Get(worlds.Load(world))(t)
		at := len(w.Robots[0].Sensors) - 1
		site := must.Get(newCameraSite(w, 0, at))(t)
		sum, n := 0.0, 0.0
		for _, m := range marks {
			u, v, ok := site.camera.Model().Project(site.camera.PoseBC().Inverse().Apply(mgl64.Vec3{m.X, m.Y, 0}))
			if !ok {
				t.Fatalf("%s: the mark at (%g, %g) m is not seen", lens, m.X, m.Y)
			}
			if m.U > 0 && m.V > 0 && m.U < 819 && m.V < 615 { // inside the border
				sum += (u-m.U)*(u-m.U) + (v-m.V)*(v-m.V)
				n++
			}
		}
		if rms := math.Sqrt(sum / n); !(rms <= 1.3) {
			t.Errorf("%s: marks are seen %.2f px off, want as fitted\n%s", lens, rms, read(t, table))
		}
	}
}

func TestFitRefuses(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below.csv")
	var text strings.Builder
	for i, line := range strings.Split(read(t, "../../render/calibration/testdata/falcons-1.csv"), "\n") {
		if x, y, ok := cutLast(line, ","); ok && i > 3 { // y to the right
			line = x + "," + strings.TrimPrefix("-"+y, "--")
		}
		text.WriteString(line + "\n")
	}
	must.Write(t, below, text.String())
	for want, args := range map[string][]string{
		"m below the plane of the marks: with x_m forward, y_m must point to the left": {"--fit", below, "--size", "820x616"},
		"no such file": {"--fit", filepath.Join(dir, "none.csv"), "--size", "820x616"},
		`--size "": must be the width and height`: {"--fit", below},
		"takes no WORLD":         {"lenses", "--fit", below, "--size", "820x616"},
		"must be one of pinhole": {"--fit", below, "--size", "820x616", "--lens", "wide"},
		"need --fit":             {"lenses", "cyan1.front", "--lens", "fisheye"},
		"names no world":         {},
	} {
		prints(t, console.ExitBadInput, want, append([]string{"calibration"}, args...)...)
	}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
