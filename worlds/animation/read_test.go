package animation

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var joints = []physics.Joint{
	{Name: "knee", Lower: 0, Upper: 2.5, Mimics: -1, Wheel: -1},
	{Name: "lift", Slides: true, Lower: -0.1, Upper: 0.1, Mimics: -1, Wheel: -1},
	{Name: "copy", Lower: 0, Upper: 2.5, Mimics: 0, Wheel: -1},
}

const sample = `name: bow
author: nobody
interpolation: hermite
keyframes:
  - {duration: 0.5, pause: 0.25, goals: {knee: 90, lift: 0.05}}
  - duration: 1
    name: back
    goals: {knee: 0}
`

func TestParse(t *testing.T) {
	a := must.Get(must.Get(Parse("bow.yaml", []byte(sample)))(t).Of(joints))(t)
	if !a.Hermite || len(a.Frames) != 2 || a.Length() != 1750*time.Millisecond {
		t.Fatalf("got %+v", a)
	}
	f := a.Frames[0]
	if f.Duration != 500*time.Millisecond || f.Pause != 250*time.Millisecond || len(f.Goals) != 2 ||
		!(math.Abs(f.Goals[0].Position-math.Pi/2) < 1e-12) ||
		f.Goals[1] != (physics.JointGoal{Joint: 1, Position: 0.05}) {
		t.Errorf("got %+v", f)
	}
}

// Errors give the place, the value and the rule.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ change, to, want string }{
		{"knee: 90", "knee: 150", `bow.yaml:5:48: keyframes[0].goals.knee = 150: must lie in [0, 143.239]`},
		{"knee: 90", "kne: 90", `bow.yaml:5:47: keyframes[0].goals.kne = 90: the robot has no such joint; did you mean knee?`},
		{"knee: 90", "copy: 90", `bow.yaml:5:48: keyframes[0].goals.copy = 90: mimics another joint: command that one`},
		{"knee: 90", "knee: much", `bow.yaml:5:48: keyframes[0].goals.knee = much: must be a finite number`},
		{"knee: 90", "knee: .nan", `bow.yaml:5:48: keyframes[0].goals.knee = .nan: must be a finite number`},
		{"knee: 90", "knee: null", `bow.yaml:5:48: keyframes[0].goals.knee = null: must be a finite number`},
		{"knee: 90", "knee: 90, knee: 80", `bow.yaml:5:58: keyframes[0].goals.knee = 80: is given twice`},
		{"lift: 0.05", "lift: 5", `bow.yaml:5:58: keyframes[0].goals.lift = 5: must lie in [-0.1, 0.1]`},
		{"duration: 0.5", "duration: 0", `bow.yaml:5:16: keyframes[0].duration = 0: must lie in [0.001, 100] s`},
		{"duration: 0.5", "duration: .inf", `bow.yaml:5:16: keyframes[0].duration = .inf: must be a finite number`},
		{"duration: 0.5, ", "", `bow.yaml:5:5: keyframes[0].duration: must be given`},
		{"pause: 0.25", "pause: -1", `bow.yaml:5:28: keyframes[0].pause = -1: must lie in [0, 100] s`},
		{"pause", "pouse", `bow.yaml:5:21: "pouse": is no key here; did you mean pause?`},
		{"hermite", "cubic", `bow.yaml:3:16: interpolation = cubic: must be linear or hermite`},
		{"keyframes:", "keyframes: 3\nname:", `bow.yaml:5:1: name: is given twice`},
		{sample, "keyframes: []", `bow.yaml:1:12: keyframes: must be a list of 1 to 200 key frames`},
		{sample, "name: x", `bow.yaml:1:1: keyframes: must be given`},
		{sample, "keyframes: [3]", `bow.yaml:1:13: keyframes[0] = 3: must have the keys duration, pause and goals`},
		{sample, "keyframes: [{duration: 1, goals: [1]}]",
			`bow.yaml:1:34: keyframes[0].goals: must be names of joints with positions`},
		{sample, "hello", `bow.yaml:1:1: must have the keys interpolation and keyframes`},
		{sample, "", `bow.yaml:1:1: is empty: must have keyframes`},
		{sample, "a: [", `bow.yaml: is not YAML: yaml: line 1: did not find expected node content`},
		{sample, strings.Repeat("#", MaxBytes+1), `bow.yaml: has 262145 bytes: must have at most 262144`},
	} {
		s, err := Parse("bow.yaml", []byte(strings.Replace(sample, c.change, c.to, 1)))
		if err == nil {
			_, err = s.Of(joints)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%.40q:\n got %v\nwant %s", c.to, err, c.want)
		}
	}
}

// No file makes the reader fail other than by an error, and what it reads keeps the limits.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("keyframes: &a [{duration: 1, goals: {knee: 1e3}}, *a]"))
	shipped, _ := filepath.Glob("../robots/*.yaml")
	for _, name := range shipped {
		data := must.Get(os.ReadFile(name))(f)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f", data)
		if err != nil {
			return
		}
		a, err := s.Of(joints)
		if err != nil {
			return
		}
		must.Do(t, a.Check(&physics.Robot{Joints: joints}))
	})
}
