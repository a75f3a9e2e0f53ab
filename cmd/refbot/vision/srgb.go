package vision

import "math"

// srgbToLinear returns the linear light, 0 to 1, of an sRGB value, 0 to 1. Source: IEC 61966-2-1.
func srgbToLinear(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// linearToSRGB is the inverse of srgbToLinear.
func linearToSRGB(l float64) float64 {
	if l <= 0.0031308 {
		return 12.92 * l
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}

// linearTable returns the linear light of each 8-bit sRGB value.
func linearTable[T float32 | float64]() (linear [256]T) {
	for i := range linear {
		linear[i] = T(srgbToLinear(float64(i) / 255))
	}
	return linear
}
