package timesync

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Speed is how fast sim time should advance.
type Speed struct {
	mode   mode
	factor float64 // real-time factor, for mode paced
}

type mode uint8

const (
	unpaced  mode = iota // as fast as possible
	paced                // at a given factor
	steady               // pace steps at the highest factor that the machine sustains
	lockstep             // take steps as fast as the robots answer
)

// The named speeds. Max is as fast as possible. Steady finds the highest real-time factor that the machine sustains,
// and paces to it. Lockstep waits at each step for the robots that owe an answer, and for nothing else.
var (
	Max      = Speed{}
	RealTime = Factor(1)
	Steady   = Speed{mode: steady}
	Lockstep = Speed{mode: lockstep}
)

// Factor returns the speed that paces steps to a real-time factor: sim time over wall time.
func Factor(f float64) Speed { return Speed{paced, f} }

// RealTimeFactor is how fast a run goes: sim time over wall time.
type RealTimeFactor struct {
	Speed    Speed   // chosen speed
	Target   float64 // factor to which steps are paced; 0: not paced
	Measured float64 // factor over the last second of wall time; 0: not known yet
	// target that speed steady has announced for the time after NextFrom; 0: no change is announced
	Next     float64
	NextFrom time.Duration // sim time from which Next applies
}

// Paced reports whether steps are paced: each step then has a wall time at which it is due.
func (s Speed) Paced() bool { return s.mode == paced || s.mode == steady }

// named maps names in world files to speeds.
var named = map[string]Speed{"realtime": RealTime, "max": Max, "steady": Steady, "lockstep": Lockstep}

// speedLimit is the largest factor. No engine comes near it. With it, computations of wall time do not overflow an
// int64.
const speedLimit = 1e6

var errSpeed = errors.New(`must be "realtime", "max", "steady", "lockstep" or a factor in (0, 1000000]`)

// ParseSpeed parses the name of a speed, or a factor such as "0.5".
func ParseSpeed(s string) (Speed, error) {
	if v, ok := named[s]; ok {
		return v, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f <= 0 || f > speedLimit {
		return Speed{}, fmt.Errorf("speed = %q: %w", s, errSpeed)
	}
	return Factor(f), nil
}

func (s Speed) String() string {
	for name, v := range named {
		if v == s {
			return name
		}
	}
	return strconv.FormatFloat(s.factor, 'g', -1, 64)
}

// Equal reports whether two speeds are the same. Packages that compare structs call it.
func (s Speed) Equal(other Speed) bool { return s == other }

// UnmarshalText parses a Speed as ParseSpeed does.
func (s *Speed) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSpeed(string(text))
	return err
}

// Config is the table [time] of a world file.
type Config struct {
	Step      time.Duration `toml:"step_ms" range:"[0.1, 50]" doc:"length of a simulation step"`
	Speed     Speed         `toml:"speed" doc:"\"realtime\", a factor such as 0.5, \"steady\" (the highest factor that can be held), \"max\" or \"lockstep\""`
	ClockRate float64       `toml:"clock_hz" range:"[0, 10000]" doc:"how often the clock is published, in sim time, after a step; 0 is after every step"`
	WaitFor   []WaitFor     `toml:"wait_for" doc:"the robots whose answers each step waits for at speed lockstep"`
}

// DefaultConfig returns a configuration with steps of 5 ms, at real-time speed.
func DefaultConfig() Config { return Config{Step: 5 * time.Millisecond, Speed: RealTime} }
