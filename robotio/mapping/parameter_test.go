package mapping

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// parametersIn compiles a profile with parameters only and returns their values in a world.
func parametersIn(t *testing.T, w *worlds.World, text string) (map[string]any, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "team.toml")
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	p, err := Load(name)
	if err != nil {
		return nil, err
	}
	c, err := Compile(p)
	if err != nil {
		return nil, err
	}
	ctx, values := c.NewContext(w, 0), map[string]any{}
	for i := range c.Parameters {
		values[c.Parameters[i].Name] = c.Parameters[i].Value(&ctx)
	}
	return values, nil
}

// Whole numbers become ints and others float64, in the units of the profile that defines them, even if it is included.
func TestParametersOfTheWorld(t *testing.T) {
	w, err := worlds.Load("planar") // five against five
	if err != nil {
		t.Fatal(err)
	}
	w.Field.Length, w.Field.Width = 22, 13.5
	const base = "types = [\"std\"]\nlength = \"cm\"\n[params]\n" +
		"\"/cyan/num\" = { number = \"cyan.robots\" }\n\"/cyan/prefix\" = \"{cyan.prefix}\"\n" +
		"\"/field/length\" = { number = \"field.length\", length = \"m\" }\n\"/field/width\" = { number = " +
		"\"field.width\", length = \"m\" }\n" +
		"\"/ball\" = { number = \"ball.radius\" }\n\"/limits\" = { most = 3, least = 0.5 }\n"
	name := filepath.Join(t.TempDir(), "base.toml")
	must.Do(t, os.WriteFile(name, []byte(base), 0o600))
	for _, text := range []string{base, "include = [\"" + name + "\"]\nlength = \"mm\"\n"} {
		got := must.Get(parametersIn(t, w, text))(t)
		for key, want := range map[string]any{"/cyan/num": 5, "/cyan/prefix": "cyan", "/field/length": 22,
			"/field/width": 13.5, "/ball": 11} {
			if got[key] != want {
				t.Errorf("%s = %T %[2]v, want %T %[3]v", key, got[key], want)
			}
		}
		if limits, ok := got["/limits"].(map[string]any); !ok || limits["most"] != 3 || limits["least"] != 0.5 {
			t.Errorf("/limits = %v", got["/limits"])
		}
	}
}

func TestParameterErrors(t *testing.T) {
	w := must.Get(worlds.Load("planar"))(t)
	for value, want := range map[string]string{
		`{ number = "field.lenght" }`:                `team.toml:2:1: params: "/x" = { number = "field.lenght" }: number = "field.lenght": is no number here; there are ball.radius, cyan.robots, field.length, field.width, magenta.robots`,
		`{ number = "holder.agent" }`:                "is no number here", // it changes, and parameters are set once
		`{ number = "field.length", length = "ft" }`: "must be { number =",
		`{ number = "field.length", unit = "m" }`:    "must be { number =",
	} {
		_, err := parametersIn(t, w, "[params]\n\"/x\" = "+value+"\n")
		must.Fail(t, err, want, value)
	}
}

// accepts may name only string fields of the message, not numbers, arrays or missing fields.
func TestAcceptsNamesTexts(t *testing.T) {
	def := must.Get(msg.ParseFull("my_msgs/M", "string frame\nfloat64 x\nstring[] all\nN "+
		"n\n================================================================================\nMSG: my_msgs/N\nstring "+
		"deep\n"))(t)
	for field, ok := range map[string]bool{"frame": true, "n.deep": true, "x": false, "all": false, "n": false,
		"n.shallow": false, "": false, "frame.x": false} {
		_, err := newActions(actionConfig{def: def, accepts: map[string][]string{field: {"", "world"}},
			actor: quantity.World,
			path:  "do"})
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "has no text of that name") {
			t.Errorf("%q: %v", field, err)
		}
	}
}

// Teams' profiles may use former names of actions.
func TestActionsKeepTheirOldNames(t *testing.T) {
	for old, name := range map[string]string{"aim": "aim_head", "gaze": "set_head_mode", "level": "set_level",
		"drive": "drive"} {
		if got, ok := findAction(old); !ok || got.name != name {
			t.Errorf("%s is %q, want %s", old, got.name, name)
		}
	}
}

// Arrays of a message fill lists of an action, and mistakes in a profile are errors.
func TestListsOfActions(t *testing.T) {
	def := must.Get(msg.ParseFull("my_msgs/M", "string[] names\nfloat64[] xs\nfloat64 x\nP[] points\n"+
		"================================================================================\nMSG: my_msgs/P\n"+
		"float64 t\nfloat64[] xs\nstring[] names\n"))(t)
	each := func(keys ...string) map[string]any {
		m := map[string]any{"each": "points", "at": "t", "positions": "xs[]"}
		for i := 0; i < len(keys); i += 2 {
			m[keys[i]] = keys[i+1]
		}
		return m
	}
	for want, args := range map[string]map[string]any{
		"":                                      {"joints": "names[]", "positions": "xs[]", "point": each()},
		"names: must be the path of an array":   {"joints": "names"},
		"1: must be the path of an array":       {"positions": 1},
		"xs[]: must be one field, not an array": {"from": "xs[]"},
		"has no number, time or text":           {"positions": "ys[]"},
		`each = "ps": my_msgs/M has no array`:   {"point": each("each", "ps")},
		`field = "ys[]": my_msgs/P has no`:      {"point": each("velocities", "ys[]")},
		"speed: is no such key; there are at":   {"point": each("speed", "t")},
		"at: must be given":                     {"point": map[string]any{"each": "points", "positions": "xs[]"}},
		`must be { each = "ARRAY", … }`:         {"point": "points"},
	} {
		_, err := newActions(actionConfig{def: def, actions: map[string]any{"move_joints": args}, actor: quantity.Robot,
			units: unitsOf("m", "rad"), path: "do"})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got error %v, want %q", args, err, want)
		}
	}
}
