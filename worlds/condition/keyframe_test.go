package condition

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// remember lists the conditions with a memory.
func remember() map[string]*Choice {
	held := Choice{InArea: &InArea{Name: "ball", Area: "cyan_half"}, For: 30 * time.Millisecond}
	return map[string]*Choice{
		"for_s": &held,
		"for_s in all": {All: All{held, {Near: &Near{Name: "ball", Of: "cyan1", Within: 2},
			For: 20 * time.Millisecond}}},
		"for_s in any": {Any: Any{held, {Not: &Not{held}, For: 50 * time.Millisecond}},
			For: 10 * time.Millisecond},
		"detects": {Detects: &Detects{Robot: "cyan1", Sensor: "omni", Name: "ball",
			Within: 40 * time.Millisecond}},
		"sensor_rate": {SensorRate: &SensorRate{Robot: "cyan1", Sensor: "omni", Over: at(30.0),
			Window: 300 * time.Millisecond}},
		"image_brightness": {ImageBrightness: &ImageBrightness{Robot: "cyan1", Sensor: "omni", Over: at(0.5)}},
		"topic_value":      {TopicValue: &TopicValue{Topic: "/t", Field: "x", Over: at(0.3)}},
		"topic_rate":       {TopicRate: &TopicRate{Topic: "/t", Over: at(20.0), Window: 200 * time.Millisecond}},
		"topic_delay":      {TopicDelay: &TopicDelay{Topic: "/t", Under: 15 * time.Millisecond}},
		"topic_error":      {TopicError: &TopicError{Topic: "/t", Of: "ball", Under: 1.5, Frame: "map"}},
		"topic_error of a share": {TopicError: &TopicError{Topic: "/t", Of: "ball", Under: 1.8, Frame: "base_link",
			Robot: "cyan1", Within: 1.5, Share: 0.27}},
	}
}

// happens takes a step in which something random happens.
func (f *fake) happens(random *rand.Rand) {
	f.step()
	f.ball(4*random.Float64()-2, 0, 0.11)
	if random.IntN(5) > 0 {
		f.ball(-1, 0, 0.11) // mostly in one half
	}
	if f.each != nil {
		f.each()
	}
	which := random.IntN(6)
	x, y, ago := random.Float64(), random.Float64(), time.Duration(random.IntN(4))*10*time.Millisecond
	if f.deliver != nil {
		switch which {
		case 0:
			f.sees("ball")
		case 1:
			f.shows(byte(255 * x))
		case 2:
			f.deliver(&sensors.Observation{Stamp: f.truth.Time - ago, Features: &abstraction.FeatureList{}})
		}
	}
	if f.receive != nil && which < 3 {
		values := make([]Value, len(posePaths("")))
		values[0] = number(x)
		for i, path := range posePaths("") {
			if path == "x" || path == "y" {
				values[i] = number(x + y)
			}
		}
		f.comes(ago, values...)
	}
}

// After restoring a key frame, conditions judge each step as they would have without it, whatever they judged before.
func TestConditionsGoOn(t *testing.T) {
	const steps, between = 400, 37
	for name, c := range remember() {
		story := func() (*fake, Test, *rand.Rand) {
			f := newFake()
			test := must.Get(c.Bind(f))(t)
			return f, test, rand.New(rand.NewPCG(1, 2))
		}
		live, test, random := story()
		again, testAgain, other := story()
		for range 100 { // other events before
			again.happens(other)
			testAgain.Holds()
		}
		holds := map[bool]bool{}
		for n := range steps {
			if n%between == 0 {
				saved := save(live)
				c := keyframe.Restore(saved)
				for _, x := range again.kept {
					x.Exchange(c)
				}
				if err := c.End(); err != nil || len(saved) == 0 {
					t.Fatalf("%s: %d bytes: %v", name, len(saved), err)
				}
				if !bytes.Equal(save(again), saved) {
					t.Errorf("%s: another key frame", name)
				}
				live.truth.CopyTo(&again.truth)
				again.level = live.level
			}
			state := random.Uint64()
			live.happens(rand.New(rand.NewPCG(state, 1)))
			again.happens(rand.New(rand.NewPCG(state, 1)))
			want := test.Holds()
			if got := testAgain.Holds(); got != want || testAgain.Now() != test.Now() {
				t.Fatalf("%s: step %d: %v, %s; want %v, %s", name, n, got, testAgain.Now(), want, test.Now())
			}
			holds[want] = true
		}
		if len(holds) != 2 {
			t.Errorf("%s: holds always, or never", name)
		}
	}
}

// save returns a key frame of the conditions of a fake world.
func save(f *fake) []byte {
	c := keyframe.Append(nil)
	for _, x := range f.kept {
		x.Exchange(c)
	}
	return c.Data()
}

// Every kind of condition is tested above, or judges the present state alone.
func TestConditionsOfEveryKindGoOn(t *testing.T) {
	present := []string{"in_area", "near", "apart", "line_of_sight", "contact", "speed", "turn", "motion", "ball_held",
		"score", "game_state", "decided", "level", "happened", "all", "any", "not", "for_s"}
	known := map[string]bool{}
	for _, c := range remember() {
		if key, _, err := c.Chosen(); err == nil {
			known[key] = true
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Choice]()) {
		if key := f.Tag.Get("toml"); !known[key] && !slices.Contains(present, key) {
			t.Errorf("%s: add it to remember, or to present if it judges the present state alone", key)
		}
	}
}
