package dashboard

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// FuzzAction checks that no body makes the decoder panic or allocate without bound. A refusal is one line, and an
// accepted action obeys the rules of its fields.
func FuzzAction(f *testing.F) {
	for _, body := range []string{
		`{"pause": {}}`, `{"place": {"name": "ball", "x_m": 1, "y_m": -2.5e0}}`,
		`{"place": {"name": "ball", "x_m": 1e999}}`, `{"place": {"name": "\u007f\ud83d\u0000\n"}}`,
		`{"set_level": {"robot": "cyan1", "sensor": "omni", "level": "raw"}}`,
		`{"follow": {"robot": "cyan1", "way_points": [{"x_m": 1, "y_m": 2}, {"x_m": 0, "y_m": 0}], "speed_m_s": 1}}`,
		`{"play": {"robot": "cyan1", "chase_ball": {}}}`, `{"coach": {"team": "cyan"}}`,
		`{"set_light": {"brightness": 0.5}}`, `{"reset": {"seed": 18446744073709551615}}`,
		`{"set_speed": {"speed": "realtime"}}`, `{"a": [1, [2, {"b": null}]]}`, `{"": {}}`,
		`{"place": {"name": "ball"}, "place": {}}`, `{"a.b": {"c.d": 1}}`, `{`, `null`, ``,
		`{"place": {"x_m": {"uniform": [0, 1]}}}`,
		`{"place": ` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 41), `{"x": "` + strings.Repeat(`a,`,
			30000) + `"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > maxBody {
			t.Skip()
		}
		allocs.AtMost(t, allocs.ParseLimit, func() {
			_, a, err := action.Parse(body)
			switch {
			case err != nil:
				if text := err.Error(); strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\n\r") {
					t.Errorf("%q: %q", body, text)
				}
			case a == nil:
				t.Errorf("%q: no action", body)
			default:
				_ = action.Check(a) // as before an action is executed
			}
		})
	})
}
