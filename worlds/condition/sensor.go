package condition

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// Level holds while the level of a sensor's next frame is the given one.
type Level struct {
	Robot  string            `toml:"robot" required:"true"`
	Sensor string            `toml:"sensor" required:"true"`
	Is     abstraction.Level `toml:"is" required:"true"`
}

func (c *Level) Validate(w World) error {
	cfg, err := w.FindSensor(c.Robot, c.Sensor)
	if err != nil || cfg == nil || cfg.Kind == "" {
		return violation("sensor", c.Sensor, err)
	}
	if levels := cfg.Kind.Levels(); !c.Is.In(levels) {
		return violation("is", string(c.Is), fmt.Errorf("must be one of %v for kind %s", levels, cfg.Kind))
	}
	return nil
}

func (c *Level) Bind(s State) (Test, error) {
	level, err := s.Level(c.Robot, c.Sensor)
	return Test{
		func() bool { return level() == c.Is },
		func() string { return fmt.Sprintf("%s.%s at level %s", c.Robot, c.Sensor, level()) },
	}, err
}

func (c *Level) String() string { return fmt.Sprintf("%s.%s at level %s", c.Robot, c.Sensor, c.Is) }

// Detects holds while a recent frame of a camera contains a given body among its detected objects or its features.
// Among features every ball counts as the game's ball.
type Detects struct {
	Robot  string        `toml:"robot" required:"true"`
	Sensor string        `toml:"sensor" required:"true" doc:"name of a camera at level features, objects or truth"`
	Name   string        `toml:"name" required:"true" doc:"name of a body, or a kind: one body of the kind is enough; walls are not reported"`
	Within time.Duration `toml:"within_s" range:"[0, 60]" doc:"largest age of a frame that counts; 0.5 if left out, because vision misses objects in some frames"`
}

// detectsWithin is the default of Within. The value is a guess: a camera delivers about a dozen frames in this time.
const detectsWithin = 500 * time.Millisecond

func (c *Detects) within() time.Duration {
	if c.Within == 0 {
		return detectsWithin
	}
	return c.Within
}

func (c *Detects) Validate(w World) error {
	err := errors.Join(findReporting(w, c.Robot, c.Sensor, reportsThings, "objects", "features, objects or truth"),
		violation("name", c.Name, w.FindBodies(c.Name, 1)))
	if c.Name == c.Robot {
		err = errors.Join(err, violation("name", c.Name, errors.New("does not detect itself")))
	}
	return err
}

func (c *Detects) Bind(s State) (Test, error) {
	truth, last := s.Truth(), &sighting{stamp: -1}
	bodies, err := findBodies(s, c.Name)
	if err != nil {
		return Test{}, err
	}
	names := make([]string, len(bodies))
	for i := range bodies {
		names[i] = bodies[i].name
	}
	s.Keep(last)
	err = s.Listen(c.Robot, c.Sensor, reportsThings, func(o *sensors.Observation) {
		if among(o, names) {
			last.stamp = o.Stamp
		}
	})
	level, levelErr := s.Level(c.Robot, c.Sensor)
	holds := func() bool { return last.stamp >= 0 && truth.Time-last.stamp <= c.within() }
	return Test{holds, func() string {
		if !holds() && !reportsThings(level()) {
			return fmt.Sprintf("%s.%s is at level %s, which reports no objects", c.Robot, c.Sensor, level())
		}
		if last.stamp < 0 {
			return fmt.Sprintf("%s.%s has not detected %s", c.Robot, c.Sensor, c.Name)
		}
		return fmt.Sprintf("%s.%s detected %s at %.3f s", c.Robot, c.Sensor, c.Name, last.stamp.Seconds())
	}}, cmp.Or(err, levelErr)
}

// sighting is the newest frame in which the camera reports the body that the condition names.
type sighting struct {
	stamp time.Duration // sim time at which the frame was captured; −1 before the first such frame
}

func (x *sighting) Exchange(c *keyframe.Codec) { c.Duration(&x.stamp) }

// among reports whether an observation contains one of the named bodies.
func among(o *sensors.Observation, names []string) bool {
	if f := o.Features; f != nil {
		return len(f.Balls) > 0 && slices.Contains(names, "ball") || slices.ContainsFunc(f.Obstacles,
			func(b abstraction.BoxFeature) bool { return slices.Contains(names, b.Name) })
	}
	return o.Objects != nil && slices.ContainsFunc(o.Objects.Detections,
		func(d abstraction.Detection) bool { return slices.Contains(names, d.Name) })
}

func (c *Detects) String() string { return fmt.Sprintf("%s.%s detects %s", c.Robot, c.Sensor, c.Name) }

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

// rateWindow returns the length of the time window over which a rate is measured: the configured length, or the default
// if the file does not give one.
func rateWindow(configured time.Duration) time.Duration {
	if configured == 0 {
		return time.Second
	}
	return configured
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

// add appends the present time, and removes the times that are older than the window.
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

// since removes the times up to start, and returns the number of later times.
func (t *times) since(start time.Duration) int {
	for t.n > 0 && t.ring[t.first] <= start {
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

// ImageBrightness holds while the brightness of a camera's newest image is above or below a limit. Brightness is the
// mean of all channels of all pixels in sRGB, where 0 is black and 1 is white. The condition does not hold before the
// first image.
type ImageBrightness struct {
	Robot  string   `toml:"robot" required:"true"`
	Sensor string   `toml:"sensor" required:"true" doc:"name of a camera at level raw or ideal"`
	Over   *float64 `toml:"over" range:"[0, 1]" doc:"lower limit of the mean of all sRGB values of the newest image; 1 is white"`
	Under  *float64 `toml:"under" range:"[0, 1]" doc:"upper limit of that mean; 0 is black"`
}

func (c *ImageBrightness) Validate(w World) error {
	return errors.Join(findReporting(w, c.Robot, c.Sensor, abstraction.Level.Rendered, "images", "raw or ideal"),
		bounds(c.Over, c.Under, "over", "under"))
}

func (c *ImageBrightness) Bind(s State) (Test, error) {
	newest := &imageMean{-1}
	s.Keep(newest)
	err := s.Listen(c.Robot, c.Sensor, abstraction.Level.Rendered, func(o *sensors.Observation) {
		if o.Color != nil {
			newest.value = brightness(o.Color)
		}
	})
	level, levelErr := s.Level(c.Robot, c.Sensor)
	lo, hi := limits(c.Over, c.Under)
	return Test{func() bool { return newest.value >= 0 && newest.value > lo && newest.value < hi }, func() string {
		switch {
		case newest.value < 0 && !level().Rendered():
			return fmt.Sprintf("%s.%s is at level %s, which has no images", c.Robot, c.Sensor, level())
		case newest.value < 0:
			return fmt.Sprintf("%s.%s has delivered no image", c.Robot, c.Sensor)
		}
		return fmt.Sprintf("brightness of %s.%s %.3f", c.Robot, c.Sensor, newest.value)
	}}, cmp.Or(err, levelErr)
}

// imageMean is the brightness of the newest image, or −1 before the first image.
type imageMean struct{ value float64 }

func (m *imageMean) Exchange(c *keyframe.Codec) { c.Float(&m.value) }

// brightness returns the mean of an image's values, 0 to 1.
func brightness(image *render.Image) float64 {
	sum := 0
	for _, v := range image.Pix {
		sum += int(v)
	}
	return float64(sum) / (255 * float64(len(image.Pix)))
}

func (c *ImageBrightness) String() string {
	return fmt.Sprintf("brightness of %s.%s%s", c.Robot, c.Sensor, limitsText(c.Over, c.Under, ""))
}

// findCamera returns an error if the sensor does not exist or is not a camera.
func findCamera(w World, robot, sensor string) error {
	cfg, err := w.FindSensor(robot, sensor)
	if err == nil && cfg != nil && cfg.Kind != "" && !cfg.Kind.TakesImages() {
		err = fmt.Errorf("is no camera but of kind %s", cfg.Kind)
	}
	return violation("sensor", sensor, err)
}

// findReporting returns an error if the camera does not exist. It also returns an error if no frame of the camera
// contains what the condition judges, because the camera is never at a suitable level. The function suits reports
// whether a level is suitable.
func findReporting(w World, robot, sensor string, suits func(abstraction.Level) bool, what, levels string) error {
	err := findCamera(w, robot, sensor)
	if err == nil && !w.CanBe(robot, sensor, suits) {
		err = violation("sensor", sensor, fmt.Errorf("is never at a level that has %s: needs %s, as its own level or "+
			"by "+
			"set_level", what, levels))
	}
	return err
}

func reportsThings(l abstraction.Level) bool {
	return l == abstraction.Features || l == abstraction.Objects || l == abstraction.Truth
}

func anyLevel(abstraction.Level) bool { return true }
