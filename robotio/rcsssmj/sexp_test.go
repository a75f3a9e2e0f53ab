package rcsssmj

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Expressions are split at white space, however they are written.
func TestExpressions(t *testing.T) {
	parse := func(text string) (all string, err error) {
		err = expressions([]byte(text), func(fields [][]byte) { all += fmt.Sprintf("%s", fields) })
		return all, err
	}
	for text, want := range map[string]string{
		"": "", "()": "", "(init T1 teamBlue 2)": "[init T1 teamBlue 2]",
		"(he1 12.42 0 0.9 0 0)(syn)": "[he1 12.42 0 0.9 0 0][syn]", " ( a\t b )\n(c) ": "[a b][c]",
	} {
		must.Equal(t, must.Get(parse(text))(t), want, "%q", text)
	}
	for text, want := range map[string]string{
		"x": "byte 0: 'x': must be (", "(a) (b": "the message ends in an expression", "(": "the message ends",
		"(See (B))": "byte 5: an expression in an expression", "(a b c d e f g h i)": "byte 17: more than 8 fields",
	} {
		must.Refuse(parse(text))(t, want, text)
	}
}

// Numbers lose digits as in the league's server.
func TestNumbers(t *testing.T) {
	b := appendNumbers(nil, 2, 1.239, -1.239, 100, -0.001, 0.58)
	must.Equal(t, string(b), " 1.23 -1.23 100 0 0.58", "numbers")
}

// No message makes a robot move beyond its limits.
func FuzzEffectors(f *testing.F) {
	for _, text := range []string{"(he1 12.42 0 0.9 0 0)", "(he1 1e300 NaN 1 1 1)(he1 1 2 3 4 5)",
		"(he2 -9 -9 -9 -9 -9",
		"(he1 0x1p3 1_0 1 1 inf)", "((((((((", "(beam 1 2 3)", "(SPK say 100 AA==)", "(he1 1 1 1 1 1 1 1 1 1)"} {
		f.Add([]byte(text))
	}
	r := &robot{name: "a", joints: []physics.Joint{{Name: "x", Lower: -1, Upper: 1, Wheel: -1, Mimics: -1},
		{Name: "y", Lower: 0, Upper: 2, Wheel: -1, Mimics: -1}},
		motors: []motor{{"he1", "q_hj1", 0}, {"he2", "q_hj2", 1}}}
	f.Fuzz(func(t *testing.T, message []byte) {
		m := motion{robot: r, action: action.MoveJoints{Robot: "a"}}
		_ = expressions(message, func(fields [][]byte) {
			if len(fields) == 0 || len(fields) > maxFields || bytes.ContainsAny(bytes.Join(fields, nil), "() \n") {
				t.Errorf("fields %q", fields)
			}
			_ = m.take(fields)
		})
		a := &m.action
		for i, name := range a.Joints {
			j := &r.joints[strings.Index("xy", name)]
			if p := a.Positions[i]; !(p >= j.Lower && p <= j.Upper) {
				t.Errorf("%s: position %g", name, p)
			}
			if !(min(a.Stiffness[i], a.Damping[i]) >= 0) || math.IsNaN(a.Velocities[i]+a.Efforts[i]) {
				t.Errorf("%s: %g %g %g %g", name, a.Stiffness[i], a.Damping[i], a.Velocities[i], a.Efforts[i])
			}
		}
		if len(a.Joints) > 2 {
			t.Errorf("joints %v", a.Joints)
		}
	})
}
