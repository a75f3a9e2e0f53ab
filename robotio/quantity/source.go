package quantity

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Source is the origin of the quantities of a topic: a kind of sensor, all kinds of cameras, a robot, or the world.
type Source string

// These sources are not kinds of sensors.
const (
	World   Source = "world"
	Robot   Source = "robot"
	Cameras Source = "cameras" // cameras of every kind
)

// Choices returns all sources.
func (Source) Choices() []string {
	return append(sensors.Kind("").Choices(), string(Cameras), string(Robot), string(World))
}

// TakesImages reports whether s is a kind of camera, or Cameras.
func (s Source) TakesImages() bool { return s == Cameras || sensors.Kind(s).TakesImages() }

// Of returns the quantities of a topic from the source s. The argument levels lists the levels at which the sensor
// feeds the topic; nil means all levels. For cameras, the result holds only the quantities that exist at each of these
// levels.
func Of(s Source, levels []abstraction.Level) *Set {
	q := worldQuantities()
	if s == World {
		return q
	}
	q = q.With(robotQuantities())
	switch {
	case s == Robot:
		return q
	case !s.TakesImages():
		return q.With(deviceQuantities(sensors.Kind(s)))
	}
	q = q.With(lensQuantities())
	switch ContentOf(s, levels) {
	case pixels:
		q = q.With(shapeQuantities())
	case images:
		q = q.With(shapeQuantities()).With(imageQuantities(sensors.Kind(s)))
	case features:
		q = q.With(shapeQuantities()).With(featureQuantities())
	case objects:
		q = q.With(objectQuantities())
	}
	return q
}

// Content is the kind of data in a camera's observations.
type Content uint8

// The kinds of content. Mixed means that the observations hold no data of cameras, or that the kind of data depends on
// the level.
const (
	Mixed Content = iota
	images
	features
	objects
	pixels // images at some levels and features at others
)

// ContentOf returns the content that observations from the source s have at all of the given levels.
func ContentOf(s Source, levels []abstraction.Level) (c Content) {
	if !s.TakesImages() {
		return Mixed
	}
	for i, l := range levels {
		atLevel := objects
		switch {
		case l.Rendered():
			atLevel = images
		case l == abstraction.Features:
			atLevel = features
		}
		switch {
		case i == 0 || atLevel == c:
			c = atLevel
		case c != Mixed && c != objects && atLevel != objects:
			c = pixels
		default:
			return Mixed
		}
	}
	return c
}

// In reports whether the observation o holds the content c. The data may be missing at a level that a Go program has
// added.
func (c Content) In(o *sensors.Observation) bool {
	switch c {
	case images:
		return o.Color != nil
	case features:
		return o.Features != nil
	case objects:
		return o.Objects != nil
	case pixels:
		return o.Color != nil || o.Features != nil
	}
	return true
}

// OfAnswer returns the quantities of the result of a service call.
func OfAnswer() *Set {
	q := NewSet()
	q.flag("answer.holding", func(c *Context) bool { return c.Answer.Holding })
	q.flag("answer.reachable", func(c *Context) bool { return c.Answer.Reachable })
	q.flag("answer.kicked", func(c *Context) bool { return c.Answer.Kicked })
	q.flag("answer.done", func(c *Context) bool { return c.Answer.Err == nil })
	q.Texts["answer.error"] = func(c *Context) string {
		if c.Answer.Err == nil {
			return ""
		}
		return c.Answer.Err.Error()
	}
	return q
}
