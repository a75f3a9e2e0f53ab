package mapping

import "github.com/omnipitch/omnipitch/robotio/quantity"

// units says how many units of a profile make up one metre and one radian.
type units struct{ perMetre, perRadian float64 }

// perMetre holds, for each unit of length in profiles, how many of this unit make up one metre.
var perMetre = map[string]float64{"m": 1, "cm": 100, "mm": 1000}

// unitsOf returns the units with the given names of a unit of length and a unit of angle.
func unitsOf(length, angle string) units {
	u := units{perMetre[length], 1}
	if angle == "deg" {
		u.perRadian = 57.29577951308232
	}
	return u
}

// scale returns the factor that converts a number of dimension d from SI units to u.
func (u units) scale(d quantity.Dimension) float64 {
	switch d {
	case quantity.Length:
		return u.perMetre
	case quantity.Angle:
		return u.perRadian
	}
	return 1
}
