package worlds

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Users are warned of a robot that starts around the ball, and of a sensor that has a higher rate than the steps.
func TestWarnings(t *testing.T) {
	const head = "name = \"w\"\ntime.step_ms = 5\n"
	for text, want := range map[string][]string{
		head + "[[robot]]\nname = \"a\"\nmodel = \"nubot\"\nsensor = [{ name = \"i\", kind = \"imu\", rate_hz = 1000 }]\n": {
			"w.toml:3:1: robot[0]: pose: warning: robot a starts around the ball, and pushes it away",
			"w.toml:6:39: robot[0].sensor[4]: rate_hz = 1000: warning: the world has 200 steps a second, and a sensor " +
				"makes at most one observation a step"},
		head + "[[robot]]\nname = \"a\"\nmodel = \"nubot\"\npose.x_m = 1\nsensor = [{ name = \"i\", kind = \"imu\", " +
			"rate_hz = 200 }]\n": nil,
	} {
		if got := must.Get(Parse("w.toml", []byte(text)))(t).Warnings(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
