package serve

import (
	"io"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestMissingProfile checks that a profile that cannot be read is an error of the input and not of the machine, so that
// workers of a sweep go on.
func TestMissingProfile(t *testing.T) {
	w := must.Get(worlds.Load("planar"))(t)
	w.Robots[0].ROS1.Profiles = []string{"../../outside/none.toml"}
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	s, err := OpenAlone(t.Context(), io.Discard, w, sim, nil)
	if err == nil {
		s.Close()
	}
	if console.ExitCode(err) != console.ExitBadInput || !strings.Contains(err.Error(), "none.toml") {
		t.Errorf("got exit code %d, %v, want %d and the file's name", console.ExitCode(err), err, console.ExitBadInput)
	}
}
