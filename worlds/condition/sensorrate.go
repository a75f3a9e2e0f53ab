package condition

import (
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
)

// SensorRate holds while the rate at which a sensor delivers frames is within limits. The rate is the number of frames
// in a time window that ends at the present, divided by the length of the window. The condition does not hold before a
// whole window has passed.
type SensorRate struct {
	Robot  string        `toml:"robot" required:"true"`
	Sensor string        `toml:"sensor" required:"true"`
	Over   *float64      `toml:"over_hz" range:"[0, 1000]" doc:"lower limit of the rate"`
	Under  *float64      `toml:"under_hz" range:"[0, 1000]" doc:"upper limit of the rate"`
	Window time.Duration `toml:"window_s" range:"[0, 60]" doc:"window over which frames are counted; 1 if left out. The condition does not hold until a first window has passed"`
}

// rateWindow returns the length of the time window over which a rate is measured. The argument given is 0 if the file
// does not give the length.
func rateWindow(given time.Duration) time.Duration {
	if given == 0 {
		return time.Second
	}
	return given
}

func (c *SensorRate) Validate(w World) error {
	_, err := w.FindSensor(c.Robot, c.Sensor)
	return errors.Join(violation("sensor", c.Sensor, err), bounds(c.Over, c.Under, "over_hz", "under_hz"))
}

func (c *SensorRate) Bind(s State) (Test, error) {
	truth, window := s.Truth(), rateWindow(c.Window)
	delivered := new(times)
	s.Keep(delivered)
	err := s.Listen(c.Robot, c.Sensor, anyLevel, func(*sensors.Observation) { delivered.add(truth.Time, window) })
	rate := func() float64 { return float64(delivered.since(truth.Time-window)) / window.Seconds() }
	lo, hi := limits(c.Over, c.Under)
	return Test{
		func() bool { hz := rate(); return truth.Time >= window && hz > lo && hz < hi },
		func() string { return fmt.Sprintf("rate of %s.%s %.3g Hz", c.Robot, c.Sensor, rate()) },
	}, err
}

func (c *SensorRate) String() string {
	return fmt.Sprintf("rate of %s.%s%s", c.Robot, c.Sensor, limitsText(c.Over, c.Under, "Hz"))
}

// times is a ring buffer of the newest times at which frames or messages arrived.
type times struct {
	ring  []time.Duration
	first int
	n     int
}

// add records the time now, and removes the times that are older than a window.
func (t *times) add(now, window time.Duration) {
	t.since(now - window)
	if t.n == len(t.ring) {
		larger := make([]time.Duration, 2*len(t.ring)+8)
		for i := range t.n {
			larger[i] = t.ring[(t.first+i)%len(t.ring)]
		}
		t.ring, t.first = larger, 0
	}
	t.ring[(t.first+t.n)%len(t.ring)] = now
	t.n++
}

// since removes the times that are not later than from, and returns the number of times that remain.
func (t *times) since(from time.Duration) int {
	for t.n > 0 && t.ring[t.first] <= from {
		t.first = (t.first + 1) % len(t.ring)
		t.n--
	}
	return t.n
}

func (t *times) Exchange(c *keyframe.Codec) {
	n := c.Count(t.n)
	if c.Restoring() {
		*t = times{ring: t.ring[:0], n: n}
	}
	for i := range n {
		if c.Restoring() {
			t.ring = append(t.ring, 0)
		}
		c.Duration(&t.ring[(t.first+i)%len(t.ring)])
	}
}
