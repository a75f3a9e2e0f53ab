package render

import (
	"errors"
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl32"
)

// Color is a reflectance in sRGB, written #rrggbb: the value of a pixel that shows the surface in white light of amount
// 1. Empty means no colour.
type Color string

var errColor = errors.New(`must be red, green and blue, two hexadecimal digits each, as in "#ff8000"`)

// Linear returns the reflectance in linear light. It fails if the Color is not of the form #rrggbb.
func (c Color) Linear() (out mgl32.Vec3, err error) {
	if len(c) != len("#rrggbb") || c[0] != '#' {
		return out, errColor
	}
	for i := range out {
		part, err := strconv.ParseUint(string(c[1+2*i:3+2*i]), 16, 8)
		if err != nil {
			return out, errColor
		}
		out[i] = float32(Linear(float64(part) / 255))
	}
	return out, nil
}

// UnmarshalText accepts the same texts as Linear.
func (c *Color) UnmarshalText(text []byte) error {
	*c = Color(text)
	_, err := c.Linear()
	return err
}

// Linear returns the light of an sRGB value, both from 0 to 1. Source: IEC 61966-2-1.
func Linear(s float64) float64 {
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// Encoded returns the sRGB value of light. It is the inverse of Linear.
func Encoded(l float64) float64 {
	if l <= 0.0031308 {
		return l * 12.92
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}

// Decode8 returns the light of an 8-bit sRGB value.
func Decode8(value byte) float32 { return decoded[value] }

var decoded = func() (light [256]float32) {
	for v := range light {
		light[v] = float32(Linear(float64(v) / 255))
	}
	return light
}()

// Encode8 returns the 8-bit sRGB value of light from 0 to 1. It equals rounded Encoded, except for about one value in
// three hundred close to a rounding boundary. All arithmetic is float32, so that other implementations can give the
// same result.
func Encode8(light float32) byte {
	b := &encodings[int(light*bins)]
	switch {
	case light < b.below:
		return b.first
	case light > b.above:
		return b.first + 1
	}
	return encode8(light)
}

// encode8 computes Encode8 without a table. Above the linear part of the curve, it approximates the power of 1/2.4 by a
// polynomial in the fourth root of the light. The error is at most 0.0017 of a value. The coefficients were computed by
// a minimax fit.
func encode8(light float32) byte {
	if light <= 0.0031308 {
		return byte(float32(light*(12.92*255)) + 0.5)
	}
	q := float32(math.Sqrt(float64(float32(math.Sqrt(float64(light))))))
	v := float32(-17.377557908901256*q) + 73.83089656252895
	v = float32(v*q) - 147.25806739982556
	v = float32(v*q) + 320.1281048543894
	v = float32(v*q) + 41.31670438470577
	v = float32(v*q) - 15.64175593501447
	return byte(v + 0.5)
}

// bins is the number of intervals of light from 0 to 1. They are so narrow that each contains at most one step from a
// value to the next.
const bins = 4096

// bin describes the results of encode8 in an interval: one value for light up to the field below, and the next value
// for light from the field above. Between the two fields, encode8 computes the result.
type bin struct {
	below, above float32
	first        byte
}

var encodings = func() (all [bins + 1]bin) {
	for i := range all {
		lo, hi := math.Float32bits(float32(i)/bins), math.Float32bits(float32(i+1)/bins)
		all[i].first = encode8(math.Float32frombits(lo))
		for lo+1 < hi { // invariant: encode8(lo) is first; encode8(hi) is another value, or hi is beyond the bin
			if mid := (lo + hi) / 2; encode8(math.Float32frombits(mid)) == all[i].first {
				lo = mid
			} else {
				hi = mid
			}
		}
		next := math.Float32frombits(hi)
		all[i].below, all[i].above = next*(1-1e-5), next*(1+1e-5)
	}
	return all
}()
