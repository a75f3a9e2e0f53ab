package mapping

// dimension says how a quantity scales with the units of length and of angle; seconds are seconds.
type dimension uint8

const (
	plain  dimension = iota
	length           // metres; of speeds, metres per second
	angle            // radians; of rates of turn, radians per second
)

// units are how many of a profile's units make a metre and a radian.
type units struct{ perMetre, perRadian float64 }

// unitsOf returns the units of their names in profiles.
func unitsOf(length, angle string) units {
	u := units{1, 1}
	switch length {
	case "cm":
		u.perMetre = 100
	case "mm":
		u.perMetre = 1000
	}
	if angle == "deg" {
		u.perRadian = 57.29577951308232
	}
	return u
}

// scale is how many of the units make one of SI.
func (u units) scale(d dimension) float64 {
	switch d {
	case length:
		return u.perMetre
	case angle:
		return u.perRadian
	}
	return 1
}
