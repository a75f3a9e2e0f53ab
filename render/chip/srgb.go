package chip

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// toLinear is the light of each 8-bit value.
var toLinear = func() (light [256]float32) {
	for v := range light {
		light[v] = float32(render.Linear(float64(v) / 255))
	}
	return light
}()

// encoded returns the 8-bit sRGB value of light from 0 to 1. Above the linear part of the curve a polynomial in the light's fourth root stands
// for the power of 1/2.4: it differs by at most 0.0017 of a value, so that rounding rarely does. Coefficients: minimax, computed.
func encoded(light float32) byte {
	if light <= 0.0031308 {
		return byte(float32(light*(12.92*255)) + 0.5)
	}
	q := sqrt(sqrt(light))
	v := float32(-17.377557908901256*q) + 73.83089656252895
	v = float32(v*q) - 147.25806739982556
	v = float32(v*q) + 320.1281048543894
	v = float32(v*q) + 41.31670438470577
	v = float32(v*q) - 15.64175593501447
	return byte(v + 0.5)
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// bins are shares of the light from 0 to 1 so small that no two values begin in one.
const bins = 4096

// bin holds what encoded returns in a bin: the first value, and from which light on the next.
type bin struct {
	next  float32
	first byte
}

var encodings = func() (all [bins + 1]bin) {
	for i := range all {
		lo, hi := math.Float32bits(float32(i)/bins), math.Float32bits(float32(i+1)/bins)
		all[i].first = encoded(math.Float32frombits(lo))
		for lo+1 < hi { // encoded(lo) is first, and encoded(hi) is another value, or hi is beyond the bin
			if mid := (lo + hi) / 2; encoded(math.Float32frombits(mid)) == all[i].first {
				lo = mid
			} else {
				hi = mid
			}
		}
		all[i].next = math.Float32frombits(hi)
	}
	return all
}()

// encode is encoded, by look-up.
func encode(light float32) byte {
	b := &encodings[int(light*bins)]
	if light >= b.next {
		return b.first + 1
	}
	return b.first
}
