package worlds

import (
	"strings"
	"testing"
)

// Only while its camera is at a level without images may a head's controller be commanded. Events are judged in the
// order of their times.
func TestHeadCommandsNeedALevelAbovePictures(t *testing.T) {
	const head = "name = \"g\"\ninclude = [\"ladder\"]\n"
	search := func(at string) string {
		return "[[event]]\nat_s = " + at + "\nset_head_mode = { robot = \"cyan1\", sensor = \"front\", mode = " +
			"\"search\" }\n"
	}
	level := func(at, to string) string {
		return "[[event]]\nat_s = " + at + "\nset_level = { robot = \"cyan1\", sensor = \"front\", level = \"" + to +
			"\" }\n"
	}
	for _, c := range []struct{ name, text, want string }{
		{"at raw", search("1"),
			`w.toml:5:36: event[0].set_head_mode: sensor = "front": is at level raw then: must be at features, objects or truth`},
		{"before its level", level("2", "objects") + search("1"),
			`w.toml:8:36: event[1].set_head_mode: sensor = "front": is at level raw then`},
		{"after its level", search("2") + level("1", "objects"), ""},
		{"at the same time", level("1", "objects") + search("1"), ""},
		{"back at pictures", level("1", "objects") + search("3") + level("2", "ideal"),
			`w.toml:8:36: event[1].set_head_mode: sensor = "front": is at level ideal then`},
	} {
		_, err := Parse("w.toml", []byte(head+c.text))
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
