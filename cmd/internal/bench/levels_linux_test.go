package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchLevels checks that every level of every world is timed. Level objects and lasers must allocate less than
// once per step: only the stack of a goroutine remains.
func TestBenchLevels(t *testing.T) {
	out := t.TempDir()
	results, names := measure(t, "levels", "--rounds", "1", "--round", "30ms", "--robots", "1,2", "--plot", out)
	for _, name := range []string{"levels-ode.png", "levels-planar.svg"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range results {
		if strings.HasSuffix(r.Name, "_real_time_factor") && !(r.Value > 0) {
			t.Errorf("%s = %v", r.Name, r.Value)
		}
		if (strings.HasSuffix(r.Name, "_objects_allocations") || r.Name == "laser_10_robots_181_rays_allocations") &&
			!(r.Value < 1) {
			t.Errorf("%s = %v a step", r.Name, r.Value)
		}
	}
	if r := names["ten_front_cameras_ideal_images"]; !(r.Value > 0) {
		t.Errorf("ten front cameras at ideal: %v images/s", r.Value)
	}
	for _, name := range []string{"ode_1_robot_raw_real_time_factor", "planar_2_robots_objects_ros1_real_time_factor",
		"ode_2_robots_features_allocations", "laser_10_robots_181_rays_scans_per_s",
		"laser_10_robots_181_rays_allocations"} {
		if _, ok := names[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}
