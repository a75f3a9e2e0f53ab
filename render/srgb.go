package render

import "math"

// Linear returns the light of an sRGB value, both from 0 to 1. Source: IEC 61966-2-1.
func Linear(s float64) float64 {
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// Encoded is the inverse of Linear.
func Encoded(l float64) float64 {
	if l <= 0.0031308 {
		return l * 12.92
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}
