package mapping

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// robotQuantities are those of a robot: its names, and the truth about it.
func robotQuantities() *quantities {
	q := newQuantities()
	q.Texts["robot"] = func(c *Context) string { return c.Robot.Name }
	q.Texts["team"] = func(c *Context) string { return string(c.Robot.Team) }
	q.Texts["team.prefix"] = func(c *Context) string { return c.prefix(c.Robot.Team) }
	q.Texts["sensor"] = func(c *Context) string {
		if c.Sensor == nil {
			return ""
		}
		return c.Sensor.Name
	}
	q.Texts["level"] = func(c *Context) string {
		if c.Observation == nil {
			return ""
		}
		return string(c.Observation.Level)
	}
	q.plain("number", func(c *Context) float64 { return float64(c.Robot.Number) })
	q.plain("agent", func(c *Context) float64 { return float64(agent(c.Robot)) })
	q.flag("holding", func(c *Context) bool { return c.Truth.Ball.HeldBy == c.index })
	q.flag("stuck", func(c *Context) bool { return c.state().Stuck })
	q.plain("charge", func(c *Context) float64 { return c.state().Charge })
	q.plain("unknown", func(*Context) float64 { return math.NaN() })
	q.plain("kicks", func(c *Context) float64 { return float64(c.state().Kicks) })
	q.pose("truth.", func(c *Context) spatial.Pose { return c.state().PoseWB })
	q.pose("truth.field.", func(c *Context) spatial.Pose { return teamFrame(c.Robot.Team).Mul(c.state().PoseWB) })
	q.twist("truth.", func(c *Context) physics.PlanarTwist { return c.state().TwistWBInB() })
	return q
}

// answerQuantities are the result of a service call.
func answerQuantities() *quantities {
	q := newQuantities()
	q.flag("answer.holding", func(c *Context) bool { return c.Answer.Holding })
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

// quantitiesOf returns the quantities of a topic by what it is from: of cameras only those that there are at each of the levels.
func quantitiesOf(from string, levels []abstraction.Level) *quantities {
	q := worldQuantities()
	if from == fromWorld {
		return q
	}
	q = q.with(robotQuantities())
	kind := sensors.Kind(from)
	if from == fromRobot {
		return q
	}
	if !kind.TakesImages() {
		return q.with(deviceQuantities(kind))
	}
	q = q.with(lensQuantities())
	switch contentOf(from, levels) {
	case pictures:
		q = q.with(pictureQuantities(kind))
	case features:
		q = q.with(featureQuantities())
	case objects:
		q = q.with(objectQuantities())
	}
	return q
}

// content is what a camera's observation holds.
type content uint8

const (
	mixed content = iota // not the same at all levels, or nothing that only cameras have
	pictures
	features
	objects
)

// contentOf is what a camera delivers at all of the levels.
func contentOf(from string, levels []abstraction.Level) (c content) {
	if !sensors.Kind(from).TakesImages() {
		return mixed
	}
	for i, l := range levels {
		now := objects
		switch {
		case l.Rendered():
			now = pictures
		case l == abstraction.Features:
			now = features
		}
		if i > 0 && now != c {
			return mixed
		}
		c = now
	}
	return c
}

// in tells whether an observation holds the content: one of a level that a Go program has plugged in need not.
func (c content) in(o *sensors.Observation) bool {
	switch c {
	case pictures:
		return o.Color != nil
	case features:
		return o.Features != nil
	case objects:
		return o.Objects != nil
	}
	return true
}
