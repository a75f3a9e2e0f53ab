package rules

import (
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestNearest(t *testing.T) {
	choices := []string{"raw", "ideal", "features", "rate_hz", "fov_deg", "pose"}
	for word, want := range map[string]string{
		"rwa": "raw", "RAW": "raw", "idea": "ideal", "feature": "features", "fetaures": "features",
		"rate_ms": "rate_hz", "rate": "rate_hz", "fov_percent": "fov_deg", "fov-deg": "fov_deg",
		"truth": "", "": "", "ro": "", "x": "", "deg": "",
	} {
		must.Equal(t, Nearest(word, choices), want, "Nearest(%q)", word)
	}
}

// A doubled letter is an insertion, not a substitution: ball.xx is closer to ball.x than to ball.vx.
func TestNearestOfEquallyNear(t *testing.T) {
	for word, want := range map[string]string{"ball.xx": "ball.x", "ball.vvx": "ball.vx", "linear.xx": "linear.x"} {
		must.Equal(t, Nearest(word, []string{"ball.vx", "ball.vy", "ball.x", "ball.y", "linear.x",
			"linear.y"}), want, "Nearest(%q)", word)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"a-b", "A_B", 0},
	} {
		must.Equal(t, distance(c.a, c.b), c.want, "distance(%q, %q)", c.a, c.b)
		must.Equal(t, distance(c.b, c.a), c.want, "distance(%q, %q)", c.b, c.a)
	}
}

func TestUnitOf(t *testing.T) {
	for key, want := range map[string]string{
		"fov_deg": "deg", "turn_deg_s": "deg/s", "lag_s": "s", "speed_m_s": "m/s", "m": "", "_m": "", "size": "",
		"a_ms": "ms",
	} {
		must.Equal(t, UnitOf(key).Name, want, "UnitOf(%q)", key)
	}
}
