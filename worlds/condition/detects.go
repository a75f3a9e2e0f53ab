package condition

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
)

// Detects holds while a recent frame of a camera contains a given body among its detected objects or its features.
// Among features every ball counts as the game's ball.
type Detects struct {
	Robot  string        `toml:"robot" required:"true"`
	Sensor string        `toml:"sensor" required:"true" doc:"name of a camera at level features, objects or truth"`
	Name   string        `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	Within time.Duration `toml:"within_s" range:"[0, 60]" doc:"largest age of a frame that counts; 0.5 if left out, because vision misses objects in some frames"`
}

// detectsWithin is the default of Within. The value is a guess: it is the time of about a dozen frames of a camera.
const detectsWithin = 500 * time.Millisecond

func (c *Detects) within() time.Duration {
	if c.Within == 0 {
		return detectsWithin
	}
	return c.Within
}

func (c *Detects) Validate(w World) error {
	err := errors.Join(findReporting(w, c.Robot, c.Sensor, reportsThings, "objects", "features, objects or truth"),
		violation("name", c.Name, w.FindBody(c.Name)))
	if c.Name == c.Robot {
		err = errors.Join(err, violation("name", c.Name, errors.New("does not detect itself")))
	}
	return err
}

func (c *Detects) Bind(s State) (Test, error) {
	truth, last := s.Truth(), &sighting{stamp: -1}
	s.Keep(last)
	err := s.Listen(c.Robot, c.Sensor, reportsThings, func(o *sensors.Observation) {
		if c.among(o) {
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

// among reports whether an observation contains the body that the condition names.
func (c *Detects) among(o *sensors.Observation) bool {
	if f := o.Features; f != nil {
		return c.Name == "ball" && len(f.Balls) > 0 ||
			slices.ContainsFunc(f.Obstacles, func(b abstraction.BoxFeature) bool { return b.Name == c.Name })
	}
	return o.Objects != nil && slices.ContainsFunc(o.Objects.Detections,
		func(d abstraction.Detection) bool { return d.Name == c.Name })
}

func (c *Detects) String() string { return fmt.Sprintf("%s.%s detects %s", c.Robot, c.Sensor, c.Name) }
