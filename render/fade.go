package render

import (
	"slices"
	"time"
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

// Fade has a number of the Lighting change evenly to a value over a time, or at once, instead of what it was about to do.
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
		share := float64(x.passed) / float64(x.over)
		*x.number = x.from*(1-share) + x.to*share // exactly to at the end
	}
	f.fades = slices.DeleteFunc(f.fades, func(x fade) bool { return x.passed == x.over })
	return true
}

// Spot returns the lamp of a name, or nil.
func (f *FadingLight) Spot(name string) *Spot {
	for i := range f.Spots {
		if f.Spots[i].Name == name {
			return &f.Spots[i]
		}
	}
	return nil
}
