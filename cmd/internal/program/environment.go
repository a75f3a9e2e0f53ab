package program

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

// newOrder returns the order that starts the program p of the world w. inherited holds the environment variables of the
// run. ros holds the variables that a node needs to join the run. newOrder returns an error if the executable does not
// exist.
func newOrder(w *worlds.World, p *worlds.Program, inherited []string, ros map[string]string) (order, error) {
	folder, err := filepath.Abs(p.Folder)
	if err != nil {
		return order{}, err
	}
	if _, err := os.Stat(folder); err != nil {
		return order{}, console.BadInputf("program %s: folder: %w", p.Name, err)
	}
	path := p.Command[0]
	if strings.Contains(path, "/") && !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	if path, err = lookUp(path); err != nil && p.Command[0] == refbot {
		return order{}, console.Unavailablef("program %s: %s is neither next to omnipitch nor in PATH: make build "+
			"builds both, and so does go install github.com/omnipitch/omnipitch/cmd/...@latest", p.Name, refbot)
	} else if err != nil {
		return order{}, console.BadInputf("program %s: command = %q: %w", p.Name, p.Command[0], err)
	}
	env := map[string]string{"PYTHONUNBUFFERED": "1"} // unbuffered output
	for _, e := range inherited {
		// drop the ROS_NAMESPACE of the user's shell
		if key, value, ok := strings.Cut(e, "="); ok && key != "ROS_NAMESPACE" {
			env[key] = value
		}
	}
	maps.Copy(env, ros)
	if r, ok := w.Robot(p.Robot); ok {
		env["ROS_NAMESPACE"] = mapping.Namespace(msg.ROS1, r)
	}
	env["OMNIPITCH_SEED"], env["OMNIPITCH_WORLD"], env["PWD"] = strconv.FormatUint(w.Seed, 10), w.Name, folder
	maps.Copy(env, p.Env)
	o := order{Command: append([]string{path}, p.Command[1:]...), Folder: folder, StopWithin: p.StopWithin}
	for _, key := range slices.Sorted(maps.Keys(env)) {
		o.Env = append(o.Env, fmt.Sprintf("%s=%s", key, env[key]))
	}
	return o, nil
}

// refbot is the file name of the reference robot's program. The program is installed next to omnipitch and plays in
// built-in worlds.
const refbot = "refbot"

// lookUp returns the path of an executable. It looks first in the folder of this executable. If both were built or
// installed together, the refbot there has the same version. Then lookUp searches as a shell does.
func lookUp(path string) (string, error) {
	if !strings.Contains(path, "/") {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(own()), path)); err == nil {
			return beside, nil
		}
	}
	return exec.LookPath(path)
}

// own returns the path of this executable, or "" if the system does not know it.
func own() string {
	path, _ := os.Executable()
	return path
}
