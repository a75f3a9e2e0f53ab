package timesync

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Speed is how fast sim time is to go.
type Speed struct {
	mode   mode
	factor float64 // of mode paced
}

type mode uint8

const (
	unpaced  mode = iota // as fast as possible
	paced                // at a factor
	steady               // at the highest factor that can be held
	lockstep             // as fast as robots answer
)

// The speeds without a number. Max is as fast as possible; Steady finds the highest real-time factor that it can hold,
// and paces to it; Lockstep waits at each step for the robots that owe an answer, and for nothing else.
var (
	Max      = Speed{}
	RealTime = Factor(1)
	Steady   = Speed{mode: steady}
	Lockstep = Speed{mode: lockstep}
)

// Factor returns the speed that holds a real-time factor, sim time over wall time.
func Factor(f float64) Speed { return Speed{paced, f} }

// RealTimeFactor is how fast a run goes: sim time over wall time.
type RealTimeFactor struct {
	Speed    Speed         // that was chosen
	Target   float64       // that steps are paced to; 0 is none
	Measured float64       // of the last second of wall time; 0 before that is known
	Next     float64       // target from NextFrom on, as announced at speed steady; 0 is no change
	NextFrom time.Duration // sim time
}

// Paced reports whether steps have a wall time at which they begin.
func (s Speed) Paced() bool { return s.mode == paced || s.mode == steady }

// named are the speeds that have names.
var named = map[string]Speed{"realtime": RealTime, "max": Max, "steady": Steady, "lockstep": Lockstep}

// speedLimit is far above what any engine reaches, and keeps wall-time arithmetic within an int64.
const speedLimit = 1e6

var errSpeed = errors.New(`must be "realtime", "max", "steady", "lockstep" or a factor in (0, 1000000]`)

// ParseSpeed reads a speed's name or a factor such as "0.5".
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

// Equal reports whether two speeds are the same; packages that compare structs call it.
func (s Speed) Equal(other Speed) bool { return s == other }

// UnmarshalText reads a Speed as ParseSpeed does.
func (s *Speed) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSpeed(string(text))
	return err
}
