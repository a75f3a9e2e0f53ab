package rules

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Unit converts a number in a file to SI: it multiplies by mul and divides by div. It has a divisor because a division
// by 1000 is correctly rounded, but a product with 0.001 is not.
type Unit struct {
	Suffix, Name string // suffix of the key, and the unit's symbol
	mul, div     float64
	Tick         time.Duration // one unit of time; 0 for all others
}

var units = []Unit{
	{"_deg", "deg", math.Pi, 180, 0},
	{"_deg_s", "deg/s", math.Pi, 180, 0},
	{"_deg_s2", "deg/s²", math.Pi, 180, 0},
	{"_deg_s_rthz", "deg/s/√Hz", math.Pi, 180, 0},
	{"_rad", "rad", 1, 1, 0},
	{"_rad_s", "rad/s", 1, 1, 0},
	{"_rad_s2", "rad/s²", 1, 1, 0},
	{"_rad_s_rthz", "rad/s/√Hz", 1, 1, 0},
	{"_s", "s", 1, 1, time.Second},
	{"_ms", "ms", 1, 1e3, time.Millisecond},
	{"_us", "µs", 1, 1e6, time.Microsecond},
	{"_ns", "ns", 1, 1e9, time.Nanosecond},
	{"_m", "m", 1, 1, 0},
	{"_cm", "cm", 1, 1e2, 0},
	{"_mm", "mm", 1, 1e3, 0},
	{"_um", "µm", 1, 1e6, 0},
	{"_m_s", "m/s", 1, 1, 0},
	{"_m_s2", "m/s²", 1, 1, 0},
	{"_m_s2_rthz", "m/s²/√Hz", 1, 1, 0},
	{"_kg", "kg", 1, 1, 0},
	{"_kg_m2", "kg·m²", 1, 1, 0},
	{"_n", "N", 1, 1, 0},
	{"_nm", "N·m", 1, 1, 0},
	{"_w", "W", 1, 1, 0},
	{"_v", "V", 1, 1, 0},
	{"_a", "A", 1, 1, 0},
	{"_k", "K", 1, 1, 0},
	{"_hz", "Hz", 1, 1, 0},
	{"_kbit_s", "kbit/s", 1e3, 1, 0},
	{"_e_s", "e/s", 1, 1, 0},
	{"_px", "px", 1, 1, 0},
	{"_lux", "lx", 1, 1, 0},
	{"_percent", "%", 1, 1e2, 0},
	{"_ppm", "ppm", 1, 1e6, 0},
}

// UnitOf returns the unit of a key by its suffix. For a key without a unit suffix it returns a unit without a name,
// which does not change numbers.
func UnitOf(key string) Unit {
	best := Unit{mul: 1, div: 1}
	for _, u := range units {
		if len(u.Suffix) > len(best.Suffix) && len(key) > len(u.Suffix) && strings.HasSuffix(key, u.Suffix) {
			best = u
		}
	}
	return best
}

func (u Unit) Converts() bool                   { return u.mul != u.div }
func (u Unit) ToSI(x float64) float64           { return x * u.mul / u.div }
func (u Unit) FromSI(x float64) float64         { return x * u.div / u.mul }
func (u Unit) FromTime(d time.Duration) float64 { return float64(d) / float64(u.Tick) }

// SplitUnit cuts the unit off a key: vx_m_s is vx in m/s. The unit is "" if the key has none.
func SplitUnit(key string) (name, unit string) {
	u := UnitOf(key)
	return strings.TrimSuffix(key, u.Suffix), u.Name
}

// InKeyUnit returns the value of a float or a duration in the unit of its key.
func InKeyUnit(v reflect.Value, u Unit) float64 {
	if v.Type() == DurationType {
		return u.FromTime(time.Duration(v.Int()))
	}
	if !u.Converts() {
		return v.Float()
	}
	// rounded so that 360 deg there and back is 360 deg
	x, _ := strconv.ParseFloat(strconv.FormatFloat(u.FromSI(v.Float()), 'g', 12, 64), 64)
	return x
}
