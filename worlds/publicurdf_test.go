package worlds

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var urdfFolders = flag.String("urdf.in", "", "load all robots of URDF files in these folders, separated by commas")

// TestPublicURDFs loads the robots of files that are not ours, and prints a row for each. It checks that a file that is
// refused, and all that is not carried over, is named with a place.
func TestPublicURDFs(t *testing.T) {
	if *urdfFolders == "" {
		t.Skip("no -urdf.in")
	}
	loaded, refused := 0, 0
	for folder := range strings.SplitSeq(*urdfFolders, ",") {
		must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "random_urdfs" { // a thousand objects of pybullet without joints
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, ".urdf") || !d.Type().IsRegular() {
				return err
			}
			name, _ := filepath.Rel(folder, path)
			world := write(t, t.TempDir(), "w.toml", fmt.Sprintf(`name = "w"
[[robot]]
name = "r"
model = %s
[robot.drive]
level = "chassis"
wheel_angles_deg = [60, 180, 300]
wheel_distance_m = 0.2
wheel_radius_m = 0.05
max_wheel_speed_m_s = 1
max_speed_m_s = 1
max_omega_deg_s = 90
max_accel_m_s2 = 1
max_alpha_deg_s2 = 90
`, articulated.Quote(path)))
			w, err := Load(world)
			if err == nil {
				loaded++
				r := w.Robots[0].described
				t.Logf("%s: %d links, %d joints, %d move, %d kinds of things are named", name, len(r.Links),
					len(r.Joints), len(w.Robots[0].mechanism.Joints), len(r.NotCarriedOver(nil, r.hidden)))
				for _, warning := range w.Warnings() {
					if strings.Contains(warning, "not carried over") {
						t.Log("   ", warning[strings.Index(warning, "not carried over"):])
					}
				}
				return nil
			}
			refused++
			for _, e := range schema.Flatten(err) {
				t.Logf("%s: refused: %v", name, e)
				at, ok := errors.AsType[*schema.Error](e)
				if !ok || at.Line == 0 || !strings.Contains(e.Error(), ".urdf:") {
					t.Errorf("%s: the error has no place in the URDF: %v", name, e)
				}
			}
			return nil
		}))
	}
	t.Logf("%d robots load, %d are refused", loaded, refused)
}
