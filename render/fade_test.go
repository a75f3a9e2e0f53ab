package render

import (
	"math"
	"reflect"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// A number fades on its scale and ends exactly at its target. A later fade replaces it from the current value; other
// fades continue.
func TestLightFades(t *testing.T) {
	world := DefaultLighting()
	world.Spots = []Spot{{Name: "a", X: 1}}
	f := NewFadingLight(world)
	check := func(when string, lamp, ambient, x float64) {
		t.Helper()
		if !scalar.EqualWithinAbs(f.Lamp, lamp, 1e-15) || !scalar.EqualWithinAbs(f.Ambient, ambient, 1e-15) ||
			!scalar.EqualWithinAbs(f.Spots[0].X, x, 1e-15) {
			t.Errorf("%s: lamp %v, ambient %v, x %v; want %v, %v, %v", when, f.Lamp, f.Ambient, f.Spots[0].X, lamp,
				ambient, x)
		}
	}
	if f.Advance(time.Second) {
		t.Error("a constant light changes")
	}
	f.Fade(&f.Lamp, 0, 4*time.Second)
	f.Fade(&f.Spot("a").X, 3, 8*time.Second)
	f.Fade(&f.Ambient, 0.3, 0)
	check("at once", 1, 0.3, 1)
	if !f.Advance(time.Second) {
		t.Error("light that fades does not change")
	}
	check("after 1 s", 0.75, 0.3, 1.25)
	f.Fade(&f.Lamp, 0.1, 2*time.Second)
	f.Advance(time.Second)
	check("after 2 s", math.Sqrt(0.75*0.1), 0.3, 1.5)
	f.Advance(time.Second)
	if f.Lamp != 0.1 {
		t.Errorf("lamp = %v at the end, want 0.1", f.Lamp)
	}
	f.Advance(time.Hour)
	check("at last", 0.1, 0.3, 3)
	if f.Advance(time.Second) || f.Spot("b") != nil || world.Spots[0].X != 1 {
		t.Error("fades go on, there is another lamp, or the world's own has moved")
	}
}

// Amounts change by equal factors in equal times, and evenly to or from darkness; temperatures change evenly in mired,
// everything else evenly. All end exactly at their targets.
func TestScalesOfFades(t *testing.T) {
	world := DefaultLighting()
	world.Spots = []Spot{{Name: "a", X: -1, Amount: 2, Temperature: 5000}}
	f := NewFadingLight(world)
	spot := &f.Spots[0]
	f.Lamp, f.LampTemperature, f.AmbientTemperature = 0, 2500, 10_000
	for _, c := range []struct {
		name                   string
		number                 *float64
		to, quarter, half, end float64
	}{
		{"lamp from darkness", &f.Lamp, 2, 0.5, 1, 2},
		{"ambient by four stops", &f.Ambient, 1.0 / 16, 0.5, 0.25, 1.0 / 16},
		{"lamp's temperature, 400 to 200 mired", &f.LampTemperature, 5000, 1e6 / 350, 1e6 / 300, 5000},
		{"ambient's temperature, 100 to 400 mired", &f.AmbientTemperature, 2500, 1e6 / 175, 1e6 / 250, 2500},
		{"azimuth", &f.LampAzimuth, f.LampAzimuth + 1, f.LampAzimuth + 0.25, f.LampAzimuth + 0.5, f.LampAzimuth + 1},
		{"spot's amount to darkness", &spot.Amount, 0, 1.5, 1, 0},
		{"spot's temperature, 200 to 600 mired", &spot.Temperature, 1e6 / 600.0, 1e6 / 300, 1e6 / 400, 1e6 / 600.0},
		{"spot's place", &spot.X, 1, -0.5, 0, 1},
	} {
		f.Fade(c.number, c.to, 4*time.Second)
		for at, want := range []float64{c.quarter, c.half} {
			f.Advance(time.Second)
			if !scalar.EqualWithinRel(*c.number, want, 1e-14) && !scalar.EqualWithinAbs(*c.number, want, 1e-15) {
				t.Errorf("%s: %v after %d s of 4, want %v", c.name, *c.number, at+1, want)
			}
		}
		if f.Advance(2 * time.Second); *c.number != c.end {
			t.Errorf("%s: %v at the end, want %v", c.name, *c.number, c.end)
		}
	}
}

// Every number of a Lighting may fade. A restored light continues every fade from where it was, and Range is restored
// too.
func TestFadesGoOn(t *testing.T) {
	world := DefaultLighting()
	world.Spots = []Spot{{Name: "a", X: 1, Z: 3}, {Name: "b", Y: 2, Z: 4}}
	f, again := NewFadingLight(world), NewFadingLight(world)
	count := func(of reflect.Type) (n int) {
		for i := range of.NumField() {
			if of.Field(i).Type.Kind() == reflect.Float64 {
				n++
			}
		}
		return n
	}
	numbers := f.numbers()
	if want := count(reflect.TypeFor[Lighting]()) + 2*count(reflect.TypeFor[Spot]()); len(numbers) != want {
		t.Fatalf("%d numbers fade, of %d", len(numbers), want)
	}
	again.Fade(&again.Ambient, 0, time.Second) // the restored state overwrites it
	for i, n := range numbers {
		f.Fade(n, float64(i), time.Duration(i)*time.Second)
	}
	for range 20 {
		f.Advance(time.Second)
		saved := keyframe.Append(nil)
		f.Exchange(saved)
		c := keyframe.Restore(saved.Data())
		again.Exchange(c)
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		if f.Advance(time.Second/2) != again.Advance(time.Second/2) || !reflect.DeepEqual(f.Lighting, again.Lighting) {
			t.Fatalf("%+v, want %+v", again.Lighting, f.Lighting)
		}
	}
	if !reflect.DeepEqual(f.Lighting.Spots[1], Spot{"b", 11, 12, 13, 14, 15}) {
		t.Errorf("the last lamp is %+v", f.Lighting.Spots[1])
	}
	f.Fade(&f.Lamp, 4, 2*time.Second)
	f.Advance(time.Second)
	if from, to := f.Range(); from.Lamp != 0 || to.Lamp != 4 || from.Ambient != f.Ambient || f.Lamp != 2 {
		t.Errorf("from %v to %v, now %v", from.Lamp, to.Lamp, f.Lamp)
	}
}
