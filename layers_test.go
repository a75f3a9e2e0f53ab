package omnipitch

import (
	"flag"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/omnipitch/omnipitch"

// layers lists, for each of our packages, which others of ours it may import; tests are exempt. A package may also
// import the packages in folders below its own. The row of a folder holds for all folders below it that have no row.
var layers = map[string][]string{
	"worlds/schema":     {"abstraction/random", "physics/rules"},
	"worlds/files":      {"physics/rules"},
	"physics/rules":     {},
	"physics/spatial":   {},
	"physics/keyframe":  {},
	"timesync":          {},
	"timesync/lockstep": {"timesync"},
	"physics":           {"physics/keyframe", "physics/rules", "physics/spatial"},
	"physics/engine": {"physics", "physics/internal/mujoco", "physics/internal/ode",
		"physics/internal/planar"},
	"physics/internal/ball": {"physics", "physics/keyframe", "physics/spatial"},
	"physics/internal/legs": {"physics", "physics/keyframe", "physics/spatial"},
	"physics/internal/play": {"abstraction/random", "physics", "physics/internal/ball", "physics/internal/legs",
		"physics/keyframe", "physics/spatial"},
	"physics/internal/mujoco":     {"physics", "physics/internal/play", "physics/keyframe", "physics/spatial"},
	"physics/internal/ode":        {"physics", "physics/internal/play", "physics/keyframe", "physics/spatial"},
	"physics/internal/planar":     {"physics", "physics/internal/play", "physics/keyframe", "physics/spatial"},
	"physics/internal/enginetest": {"physics", "physics/spatial"},
	"physics/experiment":          {"physics", "physics/engine", "physics/spatial"},
	"physics/track":               {"physics", "physics/spatial"},
	"render/optics":               {"physics/spatial"},
	"render/shapes":               {"render", "physics/spatial"},
	"render":                      {"physics/keyframe", "physics/spatial", "render/optics"},
	"render/refine":               {"render", "physics/spatial"},
	"render/chip":                 {"render", "render/optics"},
	"render/calibration":          {"physics/spatial", "render/optics"},
	"render/internal/raster": {"render", "render/internal/kept", "render/light", "render/optics", "render/refine",
		"physics/spatial"},
	"render/internal/tile": {"render", "render/chip", "render/light", "render/optics", "render/internal/raster",
		"render/internal/workers", "physics/spatial"},
	"render/internal/gl": {"render", "render/chip", "render/light", "render/optics", "render/internal/raster",
		"render/internal/workers", "physics/spatial"},
	"render/png":                {},
	"render/models":             {"render", "render/png", "physics/spatial", "worlds/files"},
	"render/internal/rays":      {"render", "physics/spatial"},
	"render/internal/kept":      {},
	"render/internal/workers":   {},
	"render/internal/truthtest": {"render", "render/optics", "render/shapes", "physics/spatial"},
	"render/light":              {"render", "render/internal/kept", "render/internal/rays", "physics/spatial"},
	"render/internal/raycast": {"render", "render/chip", "render/light", "render/optics", "render/internal/rays",
		"physics/spatial"},
	"render/internal/pathtrace": {"render", "render/chip", "render/light", "render/optics", "render/internal/raycast",
		"render/internal/rays", "physics/spatial"},
	"render/viewer": {"render", "render/optics", "physics/spatial"},
	"render/window": {"render", "render/viewer"},
	"abstraction":   {"physics/keyframe", "physics/spatial", "render/optics"},
	"sensors/imaging": {"abstraction/random", "physics/keyframe", "physics/spatial", "render",
		"render/optics"},
	"sensors/outline": {"abstraction", "physics/spatial", "render"},
	"sensors": {"abstraction", "abstraction/contour", "abstraction/random", "physics",
		"physics/keyframe", "physics/rules", "physics/spatial", "render", "render/beams", "render/chip",
		"render/light", "render/optics"},
	"sensors/pipeline": {"abstraction", "abstraction/contour", "abstraction/random", "physics",
		"physics/keyframe", "physics/spatial", "render", "render/optics", "render/labels", "sensors", "timesync"},
	"worlds/player": {"physics", "physics/keyframe", "physics/rules", "physics/spatial",
		"worlds/schema"},
	"worlds": {"abstraction", "physics", "physics/keyframe", "physics/rules", "physics/spatial",
		"render", "render/models", "sensors", "sensors/outline", "timesync", "worlds/coach", "worlds/files",
		"worlds/game", "worlds/player", "worlds/referee", "worlds/schema"},
	"worlds/game":    {"physics", "physics/keyframe", "physics/spatial"},
	"worlds/referee": {"physics", "physics/keyframe", "physics/rules", "physics/spatial", "worlds/game"},
	"worlds/area":    {"physics", "physics/rules"},
	"worlds/coach":   {"physics", "physics/keyframe", "worlds/game"},
	"worlds/command": {"physics", "physics/keyframe", "timesync", "worlds", "worlds/player"},
	"worlds/match": {"abstraction", "physics", "physics/keyframe", "physics/spatial", "sensors", "worlds",
		"worlds/action", "worlds/area", "worlds/coach", "worlds/condition", "worlds/expectation", "worlds/game",
		"worlds/radio", "worlds/referee", "worlds/task"},
	"worlds/radio": {"abstraction/random", "physics", "physics/keyframe", "worlds/schema"},
	"worlds/condition": {"abstraction", "physics", "physics/keyframe", "physics/rules", "physics/spatial",
		"render", "sensors", "worlds/area", "worlds/game", "worlds/referee", "worlds/schema"},
	"worlds/expectation": {"physics/keyframe", "worlds/condition", "worlds/schema"},
	"worlds/task": {"abstraction", "physics", "physics/keyframe", "physics/spatial", "sensors", "worlds/area",
		"worlds/condition", "worlds/game", "worlds/schema"},
	"worlds/occupancy":   {"physics", "physics/spatial"},
	"worlds/markup":      {},
	"worlds/articulated": {"physics", "physics/spatial", "render", "render/shapes", "worlds/markup"},
	"worlds/mjcf":        {"physics/spatial", "worlds/articulated", "worlds/markup"},
	"worlds/urdf":        {"physics/spatial", "worlds/articulated", "worlds/markup"},
	"worlds/scenery": {"physics", "physics/keyframe", "physics/spatial", "render", "render/optics",
		"render/refine", "render/shapes", "sensors", "sensors/outline", "worlds", "worlds/schema"},
	"render/backend": {"render", "render/internal/gl", "render/internal/kept", "render/internal/pathtrace",
		"render/internal/raycast", "render/internal/tile", "render/optics"},
	"render/labels": {"render", "render/internal/raycast"},
	"render/beams":  {"render", "render/internal/raycast", "render/internal/rays"},
	"": {"abstraction", "physics", "physics/engine", "physics/keyframe",
		"physics/rules", "physics/spatial", "render", "render/backend", "sensors", "sensors/pipeline", "timesync",
		"timesync/lockstep", "worlds", "worlds/coach", "worlds/command", "worlds/condition", "worlds/expectation",
		"worlds/game", "worlds/match", "worlds/player", "worlds/radio", "worlds/scenery"},
	"robotio/access":    {},
	"robotio/admission": {},
	"robotio/quantity": {"abstraction", "physics", "physics/rules", "physics/spatial", "render", "render/optics",
		"robotio/belief", "robotio/mitecom", "robotio/ros1/graph", "sensors", "worlds", "worlds/area", "worlds/coach",
		"worlds/game", "worlds/occupancy", "worlds/radio"},
	"robotio/mapping": {"abstraction", "physics", "physics/rules", "robotio/belief", "robotio/quantity",
		"robotio/msg/dynamic", "robotio/ros1/graph", "robotio/msg", "sensors", "worlds", "worlds/files",
		"worlds/referee", "worlds/schema", "worlds/schema/encode"},
	"robotio/belief":  {},
	"robotio/mitecom": {},
	"robotio": {"", "abstraction", "physics", "physics/rules", "render", "robotio/ros1", "robotio/wire",
		"robotio/ros1/graph", "robotio/msg", "sensors", "timesync", "worlds",
		"worlds/coach", "worlds/command", "worlds/condition", "worlds/game", "worlds/radio", "worlds/referee",
		"worlds/schema"},
	"robotio/simulation": {"", "physics/spatial", "robotio/msg", "robotio/quantity", "robotio/ros2", "robotio/wire",
		"worlds", "worlds/action", "worlds/area"},
	"robotio/aside": {},
	"robotio/recording": {"render/png", "robotio/aside", "robotio/ros1/graph", "robotio/msg", "robotio/wire",
		"timesync", "worlds/files"},
	"robotio/recorder": {"", "physics", "physics/engine", "physics/spatial", "physics/track", "robotio/mapping",
		"robotio/recording", "robotio/msg", "robotio/wire", "timesync", "worlds", "worlds/action",
		"worlds/command", "worlds/condition", "worlds/expectation", "worlds/game", "worlds/match", "worlds/referee"},
	"robotio/replay": {"", "physics", "physics/engine", "physics/spatial", "physics/track", "robotio/recorder",
		"robotio/recording", "robotio/msg", "worlds", "worlds/action"},
	"robotio/export": {"physics", "physics/spatial", "robotio/recording", "robotio/refbox",
		"robotio/msg/dynamic", "robotio/msg", "worlds"},
	"robotio/series": {"physics", "physics/rules", "physics/spatial", "robotio/recorder",
		"robotio/recording", "robotio/replay", "robotio/msg/dynamic", "robotio/msg"},
	"robotio/compare": {"abstraction", "physics/rules", "robotio/mapping", "robotio/ros1",
		"robotio/ros1/graph", "robotio/ros2", "robotio/msg", "robotio/wire", "worlds"},
	"robotio/multicast": {"", "worlds", "worlds/match", "worlds/radio"},
	"robotio/player": {"", "abstraction", "physics", "physics/spatial", "robotio/admission", "sensors", "worlds",
		"worlds/action"},
	"robotio/rcsssmj": {"", "abstraction", "physics", "physics/rules", "physics/spatial", "robotio/admission",
		"robotio/gamecontroller", "sensors", "timesync", "worlds", "worlds/action", "worlds/game", "worlds/radio",
		"worlds/schema"},
	"robotio/python": {"", "abstraction", "abstraction/random", "physics", "render", "render/optics", "render/viewer",
		"robotio/replay", "sensors", "worlds", "worlds/action", "worlds/expectation", "worlds/scenery", "worlds/schema",
		"worlds/task"},
	"robotio/refbox": {"physics", "physics/spatial", "robotio/admission", "worlds", "worlds/action", "worlds/game",
		"worlds/schema"},
	"cmd/internal/pictures": {"", "abstraction", "cmd/internal/output", "cmd/internal/window", "cmd/refbot/seat",
		"physics", "render", "render/backend", "sensors", "worlds"},
	"docs/own-team/go": {"cmd/refbot/pitch", "cmd/refbot/soccer", "cmd/refbot/wire", "cmd/refbot/world",
		"robotio/msg"},
	"cmd/internal/console": {"", "physics", "render"},
	"cmd/internal/output": {"", "abstraction", "cmd/internal/console", "physics",
		"physics/spatial", "render", "render/calibration", "render/optics", "sensors"},
	"cmd/internal/page": {"physics/experiment", "robotio/aside", "robotio/series"},
	"cmd/internal/suite": {"", "cmd/internal/console", "cmd/internal/output", "physics",
		"render", "render/backend", "robotio/aside", "robotio/recorder", "timesync", "worlds", "worlds/expectation",
		"worlds/match"},
	"cmd/internal/cluster": {"cmd/internal/console", "worlds", "worlds/schema"},
	"cmd/internal/sweep": {"", "abstraction/random", "cmd/internal/cluster", "cmd/internal/console",
		"cmd/internal/output", "cmd/internal/page", "cmd/internal/suite", "physics/experiment", "robotio/mapping",
		"robotio/recorder", "timesync", "worlds",
		"worlds/schema", "worlds/schema/encode"},
	"cmd/internal/farm": {"", "cmd/internal/cluster", "render/backend", "robotio/mapping",
		"sensors/pipeline", "worlds"},
	"cmd/internal/colortable": {"", "abstraction", "abstraction/random", "physics/spatial", "render",
		"render/backend", "render/calibration", "render/optics", "render/labels", "sensors", "worlds"},
	"cmd/internal/dataset": {"", "abstraction", "abstraction/random", "cmd/internal/console",
		"cmd/internal/output", "physics", "physics/spatial", "render", "render/backend",
		"render/optics", "render/png", "sensors", "worlds", "worlds/action"},
	"cmd/internal/window": {"", "abstraction", "physics", "physics/spatial", "render", "render/backend",
		"render/window", "render/optics", "render/viewer", "sensors", "worlds", "worlds/action", "worlds/scenery"},
	"cmd/internal/dashboard": {"", "abstraction", "abstraction/contour", "cmd/internal/suite", "physics",
		"physics/spatial", "render", "render/models", "render/optics", "robotio/access", "robotio/admission",
		"robotio/aside", "robotio/belief", "robotio/recorder", "robotio/recording", "robotio/refbox", "robotio/replay",
		"sensors",
		"sensors/pipeline", "timesync", "worlds", "worlds/action", "worlds/area", "worlds/expectation", "worlds/game",
		"worlds/radio", "worlds/referee", "worlds/schema", "worlds/schema/encode"},
	"cmd/internal/serve": {"", "cmd/internal/console", "cmd/internal/dashboard", "robotio", "robotio/access",
		"robotio/belief", "robotio/foxglove", "robotio/player", "robotio/rcsssmj", "robotio/recorder", "robotio/replay",
		"robotio/msg", "robotio/ros1", "robotio/ros1/graph", "robotio/ros2", "robotio/rosbridge",
		"robotio/simulation", "robotio/web", "robotio/wire", "worlds"},
	"cmd/internal/program": {"", "cmd/internal/console", "cmd/internal/serve", "physics", "robotio",
		"robotio/mapping", "robotio/msg", "timesync", "timesync/lockstep", "worlds"},
	"cmd/internal/assess": {"", "abstraction", "cmd/internal/output", "cmd/internal/page", "cmd/internal/suite",
		"physics", "physics/experiment", "physics/spatial", "render", "render/optics", "robotio",
		"robotio/msg/dynamic",
		"robotio/msg", "sensors", "worlds", "worlds/condition", "worlds/expectation", "worlds/player"},
	"cmd/internal/bench": {"", "abstraction", "cmd/internal/cluster", "cmd/internal/colortable",
		"cmd/internal/console", "cmd/internal/farm", "cmd/internal/output", "cmd/internal/page",
		"cmd/internal/serve", "cmd/internal/suite", "cmd/internal/sweep", "physics",
		"physics/experiment", "physics/spatial", "render",
		"render/backend", "render/calibration", "render/optics", "robotio",
		"robotio/ros1", "robotio/msg", "sensors", "sensors/imaging", "sensors/pipeline",
		"timesync", "worlds"},
	"cmd/internal/reproduce": {"", "abstraction", "cmd/internal/bench/intervals", "cmd/internal/bench/rospeer",
		"cmd/internal/colortable", "cmd/internal/console", "cmd/internal/page", "cmd/refbot/laser", "cmd/refbot/pitch",
		"cmd/refbot/seat", "cmd/refbot/soccer", "cmd/refbot/vision", "cmd/refbot/vision/locate",
		"cmd/refbot/vision/node", "cmd/refbot/world", "physics", "physics/experiment", "physics/spatial",
		"render", "render/calibration", "render/optics", "robotio/ros1", "sensors", "sensors/imaging",
		"timesync", "worlds", "worlds/action"},
	"cmd/internal/bench/intervals": {"", "physics", "physics/experiment", "timesync", "worlds/action"},
	"cmd/internal/bench/rospeer":   {"cmd/internal/console", "robotio/ros1", "robotio/ros2", "robotio/msg"},
	"cmd/refbot":                   {"robotio/ros1", "robotio/msg"},
	"cmd/refbot/pitch":             {},
	"cmd/refbot/laser":             {"cmd/refbot/pitch", "cmd/refbot/vision", "cmd/refbot/vision/locate"},
	"cmd/refbot/world":             {"cmd/refbot/pitch", "robotio/msg"},
	"cmd/refbot/soccer":            {"cmd/refbot/pitch", "cmd/refbot/world", "robotio/msg"},
	"cmd/refbot/seat": {"", "abstraction", "cmd/refbot/pitch", "cmd/refbot/soccer", "cmd/refbot/vision",
		"cmd/refbot/vision/locate", "cmd/refbot/vision/node", "physics", "physics/spatial", "render/optics",
		"robotio/mapping", "robotio/msg",
		"sensors", "timesync", "worlds", "worlds/action", "worlds/radio"},
	"cmd/refbot/wire": {"robotio/ros1", "robotio/msg"},
	"cmd/omnipitch": {"", "abstraction", "cmd/internal/assess", "cmd/internal/bench",
		"cmd/internal/cluster", "cmd/internal/colortable", "cmd/internal/console", "cmd/internal/dataset",
		"cmd/internal/farm", "cmd/internal/output", "cmd/internal/page",
		"cmd/internal/program", "cmd/internal/reproduce", "cmd/internal/serve", "cmd/internal/suite",
		"cmd/internal/sweep", "cmd/internal/window", "physics", "physics/rules",
		"physics/spatial", "render", "render/backend", "render/calibration", "render/optics",
		"render/labels", "robotio", "robotio/aside", "robotio/compare",
		"robotio/export", "robotio/mapping", "robotio/multicast", "robotio/recorder", "robotio/ros2",
		"robotio/recording", "robotio/python", "robotio/rcsssmj", "robotio/refbox", "robotio/replay", "robotio/ros1",
		"robotio/msg", "robotio/series", "robotio/wire", "sensors", "timesync", "worlds",
		"worlds/game", "worlds/match", "worlds/occupancy", "worlds/referee", "worlds/scenery", "worlds/schema"},
	"robotio/web": {"robotio/access", "robotio/admission", "robotio/ros1", "robotio/msg/dynamic",
		"robotio/ros1/graph", "robotio/msg"},
	"robotio/web/webtest": {"robotio/ros1", "robotio/msg", "testdata/must"},
	"robotio/rosbridge": {"robotio/ros1", "robotio/msg/dynamic", "robotio/ros1/graph",
		"robotio/msg", "robotio/web"},
	"robotio/foxglove": {"robotio/ros1", "robotio/msg/dynamic", "robotio/ros1/graph",
		"robotio/msg", "robotio/web"},

	"worlds/schema/encode": {"physics/rules", "worlds/schema"},

	"robotio/msg":                  {},
	"robotio/ros1/internal/tcpros": {},
	"robotio/internal/rosout":      {"robotio/msg"},
	"robotio/msg/dynamic":          {"robotio/msg"},
	"robotio/ros1/internal/xmlrpc": {"robotio/access", "robotio/admission"},
	"robotio/ros1/graph":           {"robotio/ros1/internal/xmlrpc"},
	"robotio/ros1/internal/master": {"robotio/access", "robotio/ros1/graph", "robotio/ros1/internal/xmlrpc"},
	"robotio/wire":                 {"robotio/msg", "robotio/ros1/graph"},
	"robotio/ros1": {"robotio/access", "robotio/admission", "robotio/internal/rosout", "robotio/msg", "robotio/wire",
		"timesync"},
	"robotio/ros2/internal/rtps":  {"robotio/admission"},
	"robotio/ros2/internal/zenoh": {},
	"robotio/ros2": {"robotio/internal/rosout", "robotio/msg", "robotio/msg/dynamic", "robotio/ros1/graph",
		"robotio/ros2/internal/rtps", "robotio/ros2/internal/zenoh", "robotio/wire"},

	"cmd/refbot/vision":        {"cmd/refbot/pitch"},
	"cmd/refbot/vision/locate": {"cmd/refbot/pitch", "cmd/refbot/vision"},
	"cmd/refbot/vision/track":  {"cmd/refbot/pitch"},
	"cmd/refbot/vision/node": {"cmd/refbot/pitch", "cmd/refbot/vision", "cmd/refbot/vision/locate",
		"cmd/refbot/vision/track", "cmd/refbot/wire", "cmd/refbot/world", "robotio/ros1", "robotio/msg"},
}

// withC lists the packages that may contain C or import packages with C, and the folders of such packages.
var withC = []string{"physics/internal/mujoco", "physics/internal/ode", "render/internal/gl", "render/internal/tile",
	"render/backend",
	"render/window", "", "robotio", "cmd", "docs",
	"robotio/gamecontroller", "robotio/multicast", "robotio/player", "robotio/python", "robotio/rcsssmj",
	"robotio/recorder", "robotio/replay", "robotio/series", "robotio/simulation"}

func goList(t *testing.T, env []string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func own(importPath string) (string, bool) {
	if importPath == module {
		return "", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// row returns the key of a package's row in layers: its own, or that of the nearest folder above.
func row(pkg string) (string, bool) {
	for p := pkg; ; p = path.Dir(p) {
		if p == "." {
			return "", pkg == ""
		}
		if _, ok := layers[p]; ok {
			return p, true
		}
	}
}

func TestPackagesPointOneWay(t *testing.T) {
	for _, line := range goList(t, nil, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		fields := strings.Fields(line)
		pkg, _ := own(fields[0])
		key, ok := row(pkg)
		if !ok {
			t.Errorf("%s has no row in layers", pkg)
			continue
		}
		for _, imported := range fields[1:] {
			dep, ours := own(imported)
			if !ours || dep != "" && strings.HasPrefix(dep, pkg+"/") {
				continue
			}
			allowed := slices.Contains(layers[key], dep)
			for _, a := range layers[key] { // render allows render/anything without a row
				allowed = allowed || a != "" && strings.HasPrefix(dep, a+"/") && layers[dep] == nil
			}
			if !allowed {
				t.Errorf("%s imports %q, which its layer may not", pkg, dep)
			}
		}
	}
}

// checkPure is set by make verify-pure. Without cgo, the compiler has to compile much of the standard library again.
var checkPure = flag.Bool("pure", false, "type-check packages without C, instead of only looking up their imports")

// Packages without C can be built with cgo switched off.
func TestPackagesWithoutCBuildWithoutCgo(t *testing.T) {
	var pure []string
	for _, pkg := range goList(t, nil, "./...") {
		name, _ := own(pkg)
		c := slices.ContainsFunc(withC, func(p string) bool {
			return name == p || p != "" && p != "robotio" && strings.HasPrefix(name, p+"/")
		})
		if !c {
			pure = append(pure, pkg)
		}
	}
	if len(pure) < 10 {
		t.Fatalf("only %d packages without C: %v", len(pure), pure)
	}
	args := []string{"list", "-deps", "-test"} // an import of a package that needs C is an error
	if *checkPure {                            // one analyzer is enough to type-check packages and tests
		args = []string{"vet", "-buildtag", "-buildvcs=false"}
	}
	cmd := exec.Command("go", append(args, pure...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("CGO_ENABLED=0 go %s: %v\n%s", args[0], err, out)
	}
}
