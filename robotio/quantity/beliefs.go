package quantity

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/belief"
)

// beliefQuantities returns the lists of what a robot's programs believe, for markers. Members are in the frame that
// their text frame names: map, or the robot's true pose for positions in the robot's frame.
func beliefQuantities() *Set {
	q := NewSet()
	for name, of := range map[string]func(*belief.Robot) *belief.Belief{
		"believed_poses":     func(r *belief.Robot) *belief.Belief { return r.Pose },
		"believed_balls":     func(r *belief.Robot) *belief.Belief { return r.Ball },
		"believed_obstacles": func(r *belief.Robot) *belief.Belief { return r.Obstacles },
		"believed_posts":     func(r *belief.Robot) *belief.Belief { return r.Goal },
		"believed_lines":     func(r *belief.Robot) *belief.Belief { return r.Lines },
	} {
		m := placeQuantities(of)
		size := func(c *Context) mgl64.Vec3 { return c.believedSize(name, &of(&c.Believed).Places[c.Member]) }
		m.vec("size.", size)
		m.length("middle", func(c *Context) float64 { return max(of(&c.Believed).Places[c.Member].Z, size(c)[2]/2) })
		q.list(name, func(c *Context) int { return places(of(&c.Believed)) }, m)
	}
	path := func(r *belief.Robot) *belief.Belief { return r.Path }
	m := placeQuantities(path)
	m.list("points", func(c *Context) int { return places(c.Believed.Path) }, placeQuantities(path))
	q.list("believed_paths", func(c *Context) int { return min(1, places(c.Believed.Path)) }, m)
	for name := range q.Lists {
		q.Needs[name] = Needs{Beliefs: true}
	}
	return q
}

// placeQuantities returns the quantities of a place of a belief, which the function of returns.
func placeQuantities(of func(*belief.Robot) *belief.Belief) *Set {
	m := NewSet()
	at := func(c *Context) *belief.Place { return &of(&c.Believed).Places[c.Member] }
	m.pose("", func(c *Context) spatial.Pose {
		pose := spatial.Planar(at(c).X, at(c).Y, at(c).Heading)
		pose.Pos[2] = at(c).Z
		return pose
	})
	m.vec("end.", func(c *Context) mgl64.Vec3 { return mgl64.Vec3{at(c).EndX, at(c).EndY, at(c).Z} })
	m.plain("number", func(c *Context) float64 { return float64(at(c).Number) })
	m.Texts["frame"] = func(c *Context) string {
		if of(&c.Believed).Relative {
			return "ground_truth/" + c.Robot.Name // in profile standard, the robot's true pose
		}
		return MapFrame
	}
	m.Times["stamp"] = func(c *Context) time.Duration { return of(&c.Believed).Stamp }
	return m
}

func places(b *belief.Belief) int {
	if b == nil {
		return 0
	}
	return len(b.Places)
}

// believedSize returns the extent of a thing. It is that of the world's things where the robot does not say one.
func (c *Context) believedSize(list string, at *belief.Place) mgl64.Vec3 {
	size := unknownSize
	switch list {
	case "believed_balls":
		size = mgl64.Vec3{1, 1, 1}.Mul(2 * c.World.Ball.Radius)
	case "believed_posts":
		size = mgl64.Vec3{c.World.Field.PostWidth, c.World.Field.PostWidth, c.World.Field.GoalHeight}
	}
	if at.Width > 0 {
		size[0], size[1] = at.Width, at.Width
	}
	return size
}
