//go:build cgo

package worlds_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// change sets a random field below a value to an absurd value, and returns the field's path.
func change(rt *rapid.T, v reflect.Value) string {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || pick(8) == 0 {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
				return " made"
			}
			v.SetZero()
			return " taken away"
		}
		return change(rt, v.Elem())
	case reflect.Struct:
		var fields []int
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fields = append(fields, i)
			}
		}
		if len(fields) == 0 {
			return " left alone"
		}
		i := fields[pick(len(fields))]
		return "." + v.Type().Field(i).Name + change(rt, v.Field(i))
	case reflect.Slice:
		n := v.Len()
		switch pick(8) {
		case 0:
			v.SetZero()
			return " emptied"
		case 1:
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			return " lengthened"
		case 2:
			if n > 0 {
				v.Set(reflect.Append(v, v.Index(pick(n))))
			}
			return " doubled"
		}
		if n == 0 {
			return " left alone"
		}
		return "[]" + change(rt, v.Index(pick(n)))
	case reflect.Map:
		v.SetZero()
		return " emptied"
	case reflect.Array:
		return "[]" + change(rt, v.Index(pick(v.Len())))
	case reflect.Float64, reflect.Float32:
		x := v.Float()
		v.SetFloat(rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1e308, -1e308, 5e-324, -x,
			2 * x, x / 2, 1e3 * x, 1e-6, 3, 20}).Draw(rt, "float"))
		return " = " + reflect.ValueOf(v.Interface()).String()
	case reflect.Int, reflect.Int64, reflect.Int32:
		x := v.Int()
		v.SetInt(rapid.SampledFrom([]int64{0, -1, 1, 7, x + 1, x - 1, -x, 2 * x, 1000 * x, math.MaxInt32, math.MinInt32,
			int64(time.Second)}).Draw(rt, "int"))
	case reflect.Uint64, reflect.Uint8:
		v.SetUint(rapid.SampledFrom([]uint64{0, 1, 255}).Draw(rt, "uint"))
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", ".", "cyan1", "ball", "cyan1.omni", "cyan1.omni.level", "omni",
			"raw", "ideal", "features", "objects", "truth", "pose", "table", "raycast", "rollers", "kinematic",
			"planar", "\x00"}).Draw(rt, "text"))
	default:
		rt.Fatalf("a world holds a %v", v.Kind())
	}
	return " changed"
}

// changed returns a shipped world with up to three changes, and their paths.
func changed(rt *rapid.T) (w *worlds.World, where string) {
	w = must.Get(worlds.Load(rapid.SampledFrom([]string{"nubot-attack", "planar", "sensors", "mirrors", "lenses",
		"faults", "lockstep", "in-turn", "calibration-board"}).Draw(rt, "world")))(rt)
	w.Robots = w.Robots[:min(len(w.Robots), 2)]
	for range rapid.IntRange(1, 3).Draw(rt, "changes") {
		where += change(rt, reflect.ValueOf(w).Elem()) + "; "
	}
	return w, where
}

// A world that Go code builds or changes either is an error or can step. Nothing panics.
func TestNewRefusesWhatCannotStep(t *testing.T) {
	var shared omnipitch.Cache
	rapid.Check(t, func(rt *rapid.T) {
		w, where := changed(rt)
		rt.Log(where)
		s, err := omnipitch.New(w, omnipitch.Options{NewRenderer: simtest.Grey, Cache: &shared})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				rt.Fatal("the error has no text")
			}
			return
		}
		defer s.Close()
		for _, r := range w.Robots {
			for _, c := range r.Sensors {
				must.Get(s.Listen(r.Name, c.Name, omnipitch.Listener{Observe: func(*sensors.Observation) {}}))(rt)
			}
		}
		for range 3 {
			must.Do(rt, s.Step())
		}
	})
}

// New reports all violations of a world that Go code has built, one sentence for each.
func TestNewReportsViolations(t *testing.T) {
	for want, spoil := range map[string]func(w *worlds.World, omni *sensors.Config){
		`level = "": must be one of raw, ideal, features, objects, truth for kind omni`: func(
			_ *worlds.World, omni *sensors.Config) {
			omni.Level = ""
		},
		`image: must be given for kind omni`:   func(_ *worlds.World, omni *sensors.Config) { omni.Image = nil },
		`rate_hz = nan`:                        func(_ *worlds.World, omni *sensors.Config) { omni.Rate = math.NaN() },
		`a world needs at least one [[robot]]`: func(w *worlds.World, _ *sensors.Config) { w.Robots = nil },
		`name = "cyan1": is already the name of robot[0]`: func(w *worlds.World, _ *sensors.Config) {
			w.Robots[1].Name = "cyan1"
		},
		`name = "omni": is already the name of`: func(w *worlds.World, _ *sensors.Config) {
			w.Robots[0].Sensors[1].Name = "omni"
		},
	} {
		w := simtest.World(t, "nubot-attack")
		spoil(w, simtest.Sensor(t, w, "cyan1", "omni"))
		must.Refuse(omnipitch.New(w, omnipitch.Options{NewRenderer: simtest.Grey}))(t, want)
	}
}

// Every valid world that Go code builds can be written as a file.
func TestEffectiveOfChangedWorlds(t *testing.T) {
	written := 0
	rapid.Check(t, func(rt *rapid.T) {
		w, where := changed(rt)
		if w.Validate() != nil {
			return
		}
		if rapid.Bool().Draw(rt, "remove kicker and dribbler") {
			w.Robots[0].Kicker, w.Robots[0].Dribbler = nil, nil
			if w.Validate() != nil {
				return
			}
		}
		text, err := w.Effective()
		if err != nil {
			rt.Fatalf("%s: %v", where, err)
		}
		again := must.Get(worlds.Parse("effective.toml", text))(rt)
		w.Field.Name, again.Field.Name = "", "" // a file cannot leave it empty
		if got, want := again.Model(), w.Model(); !reflect.DeepEqual(got, want) {
			rt.Errorf("%s: the file has the model %+v, want %+v", where, got, want)
		}
		written++
	})
	if written < 3 { // of 100 drawn worlds, or 20 with -short
		t.Errorf("only %d worlds were valid", written)
	}
}
