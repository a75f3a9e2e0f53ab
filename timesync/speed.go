package timesync

import (
	"fmt"
	"math"
	"strconv"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Speed is the real-time factor that a run aims at; 0 is as fast as possible.
type Speed float64

const (
	Max      Speed = 0
	RealTime Speed = 1
)

// speedLimit is far above what any engine reaches, and keeps wall-time arithmetic within an int64.
const speedLimit = 1e6

const speedRule = `must be "realtime", "max" or a factor in (0, 1000000]`

// ParseSpeed reads "realtime", "max" or a factor such as "0.5".
func ParseSpeed(s string) (Speed, error) {
	switch s {
	case "realtime":
		return RealTime, nil
	case "max":
		return Max, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f <= 0 || f > speedLimit {
		return 0, fmt.Errorf("speed = %q: %s", s, speedRule)
	}
	return Speed(f), nil
}

func (s Speed) String() string {
	switch s {
	case Max:
		return "max"
	case RealTime:
		return "realtime"
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64)
}

// UnmarshalText lets command lines read a Speed.
func (s *Speed) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSpeed(string(text))
	return err
}

// BindNode reads a Speed from a world file: a name or a number.
func (s *Speed) BindNode(n *schema.Node) error {
	text, ok := n.Text()
	if !ok {
		text = fmt.Sprint(n.Value())
	}
	v, err := ParseSpeed(text)
	if err != nil {
		return n.Errorf("%s", speedRule)
	}
	*s = v
	return nil
}
