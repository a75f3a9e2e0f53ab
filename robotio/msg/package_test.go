package msg

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

var update = flag.Bool("update", false, "rewrite docs/ros2/omnipitch_msgs")

// TestShippedROS2Package checks that the package for workspaces of ROS 2 has the definitions of the simulation.
func TestShippedROS2Package(t *testing.T) {
	const own = "omnipitch_msgs/"
	l := must.Get(LoadROS2("jazzy"))(t)
	want := map[string]string{}
	for ext, names := range map[string][]string{"msg": l.Messages(), "srv": l.Services()} {
		for _, name := range names {
			if base, ok := strings.CutPrefix(name, own); ok {
				want[filepath.Join(ext, base+"."+ext)], _ = l.Source(name + "." + ext)
			}
		}
	}
	dir := "../../docs/ros2/omnipitch_msgs"
	if *update {
		for file, text := range want {
			must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o777))
			must.Do(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666))
		}
	}
	var have []string
	for _, pattern := range []string{"msg/*", "srv/*"} {
		for _, path := range must.Get(filepath.Glob(filepath.Join(dir, pattern)))(t) {
			file := must.Get(filepath.Rel(dir, path))(t)
			have = append(have, file)
			must.Equal(t, string(must.Get(os.ReadFile(path))(t)), want[file], "%s; -update rewrites it", file)
		}
	}
	if len(want) < 20 || len(have) != len(want) {
		slices.Sort(have)
		t.Errorf("the package has %v, want %d files; -update writes them", have, len(want))
	}
}
