package render

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// FadingLight is a Lighting whose numeric fields can change, at once or gradually.
type FadingLight struct {
	Lighting
	fades []fade
}

// fade is the gradual change of one numeric field of a Lighting.
type fade struct {
	number   *float64 // the field of the Lighting
	from, to float64
	passed   time.Duration
	over     time.Duration
}

// NewFadingLight returns a FadingLight without fades.
func NewFadingLight(l Lighting) *FadingLight {
	l.Spots = slices.Clone(l.Spots)
	return &FadingLight{Lighting: l}
}

// Fade changes a numeric field of the Lighting to a value, gradually over a duration, or at once if the duration is 0.
// It replaces an earlier fade of the same field. Amounts change evenly in stops and colour temperatures evenly in
// mired, as people perceive them. All other fields change evenly.
func (f *FadingLight) Fade(number *float64, to float64, over time.Duration) {
	f.fades = slices.DeleteFunc(f.fades, func(x fade) bool { return x.number == number })
	if over <= 0 {
		*number = to
		return
	}
	f.fades = append(f.fades, fade{number: number, from: *number, to: to, over: over})
}

// Advance advances all fades by dt, and reports whether that changes the Lighting.
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

// scaleOf returns the function that interpolates a numeric field of the Lighting between two values. The argument share
// of this function goes from 0 for the first value to 1 for the second value.
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

// inStops interpolates geometrically: equal factors in equal times. If either value is 0, there is no such factor, and
// it interpolates linearly.
func inStops(from, to, share float64) float64 {
	if !(from > 0 && to > 0) {
		return evenly(from, to, share)
	}
	// unlike math.Exp and math.Pow, these functions give the same result on every processor
	return from * math.Exp2(share*math.Log2(to/from))
}

// inMired interpolates the reciprocal linearly. Equal steps of the reciprocal are about equal steps of perceived colour
// (Judd 1933, "Sensibility to color-temperature change").
func inMired(from, to, share float64) float64 { return 1 / evenly(1/from, 1/to, share) }

// Spot returns the lamp with the given name. It returns nil if there is no such lamp.
func (f *FadingLight) Spot(name string) *Spot {
	for i := range f.Spots {
		if f.Spots[i].Name == name {
			return &f.Spots[i]
		}
	}
	return nil
}

// numbers lists the numeric fields of the Lighting that a fade may change, always in the same order.
func (f *FadingLight) numbers() []*float64 {
	all := []*float64{&f.Lamp, &f.LampTemperature, &f.LampAzimuth, &f.LampElevation, &f.Ambient, &f.AmbientTemperature}
	for i := range f.Spots {
		s := &f.Spots[i]
		all = append(all, &s.X, &s.Y, &s.Z, &s.Amount, &s.Temperature)
	}
	return all
}

// Range returns the Lighting at the start of all current fades, and the Lighting at their end.
func (f *FadingLight) Range() (from, to Lighting) {
	a, b := NewFadingLight(f.Lighting), NewFadingLight(f.Lighting)
	now, first, last := f.numbers(), a.numbers(), b.numbers()
	for i := range f.fades {
		which := slices.Index(now, f.fades[i].number)
		*first[which], *last[which] = f.fades[i].from, f.fades[i].to
	}
	return a.Lighting, b.Lighting
}

// Exchange passes the numeric fields of the Lighting and the fades to a codec.
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
