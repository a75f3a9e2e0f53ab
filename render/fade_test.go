package render

import (
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
)

// A number fades evenly and ends exactly where it is to be; a later fade of it takes over where it is, and others go on.
func TestLightFades(t *testing.T) {
	world := DefaultLighting()
	world.Spots = []Spot{{Name: "a", X: 1}}
	f := NewFadingLight(world)
	check := func(when string, lamp, ambient, x float64) {
		t.Helper()
		if !scalar.EqualWithinAbs(f.Lamp, lamp, 1e-15) || !scalar.EqualWithinAbs(f.Ambient, ambient, 1e-15) || !scalar.EqualWithinAbs(f.Spots[0].X, x, 1e-15) {
			t.Errorf("%s: lamp %v, ambient %v, x %v; want %v, %v, %v", when, f.Lamp, f.Ambient, f.Spots[0].X, lamp, ambient, x)
		}
	}
	if f.Advance(time.Second) {
		t.Error("light that stays as it is changes")
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
	check("after 2 s", 0.425, 0.3, 1.5)
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
