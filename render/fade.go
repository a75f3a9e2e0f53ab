package render

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// FadingLight is a Lighting whose numbers change, at once or over time.
type FadingLight struct {
	Lighting
	fades []fade
}

// fade is one number on its way.
type fade struct {
	number   *float64 // of the Lighting
	from, to float64
	passed   time.Duration
	over     time.Duration
}

// NewFadingLight returns the light that a world starts with, which stays as it is.
func NewFadingLight(l Lighting) *FadingLight {
	l.Spots = slices.Clone(l.Spots)
	return &FadingLight{Lighting: l}
}

// Fade has a number of the Lighting go over to a value in a time, or at once, instead of what it was about to do: an
// amount evenly in stops, a colour temperature evenly in mired, as both are seen, and all else evenly.
func (f *FadingLight) Fade(number *float64, to float64, over time.Duration) {
	f.fades = slices.DeleteFunc(f.fades, func(x fade) bool { return x.number == number })
	if over <= 0 {
		*number = to
		return
	}
	f.fades = append(f.fades, fade{number: number, from: *number, to: to, over: over})
}

// Advance moves on by a time, and tells whether that changes the Lighting.
func (f *FadingLight) Advance(dt time.Duration) bool {
	if len(f.fades) == 0 {
		return false
	}
	for i := range f.fades {
		x := &f.fades[i]
		x.passed = min(x.passed+dt, x.over)
		*x.number = x.to
		if x.passed < x.over {
			*x.number = f.scaleOf(x.number)(x.from, x.to, float64(x.passed)/float64(x.over))
		}
	}
	f.fades = slices.DeleteFunc(f.fades, func(x fade) bool { return x.passed == x.over })
	return true
}

// scaleOf returns what is between two values of a number of the Lighting, a share of the way from the first to the
// second.
func (f *FadingLight) scaleOf(number *float64) func(from, to, share float64) float64 {
	switch number {
	case &f.Lamp, &f.Ambient:
		return inStops
	case &f.LampTemperature, &f.AmbientTemperature:
		return inMired
	}
	for i := range f.Spots {
		switch number {
		case &f.Spots[i].Amount:
			return inStops
		case &f.Spots[i].Temperature:
			return inMired
		}
	}
	return evenly
}

func evenly(from, to, share float64) float64 { return from*(1-share) + to*share }

// inStops multiplies by equal factors in equal times. No factor leads to darkness or out of it: there the light changes
// evenly.
func inStops(from, to, share float64) float64 {
	if !(from > 0 && to > 0) {
		return evenly(from, to, share)
	}
	return from * math.Exp2(share*math.Log2(to/from)) // unlike Exp and Pow the same on every processor
}

// inMired changes the reciprocal evenly: equal steps of it are about equal steps of colour (Judd 1933, "Sensibility to
// color-temperature change").
func inMired(from, to, share float64) float64 { return 1 / evenly(1/from, 1/to, share) }

// Spot returns the lamp of a name, or nil.
func (f *FadingLight) Spot(name string) *Spot {
	for i := range f.Spots {
		if f.Spots[i].Name == name {
			return &f.Spots[i]
		}
	}
	return nil
}

// numbers lists what may change of the Lighting, always in one order.
func (f *FadingLight) numbers() []*float64 {
	all := []*float64{&f.Lamp, &f.LampTemperature, &f.LampAzimuth, &f.LampElevation, &f.Ambient, &f.AmbientTemperature}
	for i := range f.Spots {
		s := &f.Spots[i]
		all = append(all, &s.X, &s.Y, &s.Z, &s.Amount, &s.Temperature)
	}
	return all
}

// Range returns the Lighting that the numbers come from which are on their way, and the one that they go to.
func (f *FadingLight) Range() (from, to Lighting) {
	a, b := NewFadingLight(f.Lighting), NewFadingLight(f.Lighting)
	now, first, last := f.numbers(), a.numbers(), b.numbers()
	for i := range f.fades {
		which := slices.Index(now, f.fades[i].number)
		*first[which], *last[which] = f.fades[i].from, f.fades[i].to
	}
	return a.Lighting, b.Lighting
}

// Exchange passes the numbers, and those on their way, to a codec.
func (f *FadingLight) Exchange(c *keyframe.Codec) {
	numbers := f.numbers()
	for _, n := range numbers {
		c.Float(n)
	}
	keyframe.Slice(c, &f.fades, func(x *fade, c *keyframe.Codec) {
		which := slices.Index(numbers, x.number)
		c.Index(&which, 0, len(numbers))
		if which >= 0 {
			x.number = numbers[which]
		}
		c.Float(&x.from)
		c.Float(&x.to)
		c.Duration(&x.passed)
		c.Duration(&x.over)
		c.Check(x.passed >= 0 && x.passed < x.over, "the light has changed for %v of %v", x.passed, x.over)
	})
}
