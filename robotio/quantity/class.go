package quantity

import (
	"slices"
)

// gameClasses are the classes of detections that every world has. Those of the world's own kinds follow.
var gameClasses = []string{"ball", "obstacle", "robot", "cyan_robot", "magenta_robot", "goal_post", "goal_bar",
	"cyan_card", "magenta_card"}

// classNames returns the names of all classes of detections. The id of a class is its index.
func (c *Context) classNames() []string {
	if c.classes == nil {
		c.classes = append(slices.Clip(gameClasses), c.World.Kinds()...)
	}
	return c.classes
}

// class adds the class of a detection, as a name and as an id. The function kind returns the kind; see kindSeen.
func (q *Set) class(kind func(*Context) string) {
	class := func(c *Context) string {
		switch k := kind(c); k {
		case "cyan":
			return "cyan_robot"
		case "magenta":
			return "magenta_robot"
		default:
			return k
		}
	}
	q.Texts["class"] = class
	q.plain("class.id", func(c *Context) float64 { return float64(slices.Index(c.classNames(), class(c))) })
}

// classQuantities adds the list of the classes of detections.
func classQuantities(q *Set) {
	m := NewSet()
	m.Texts["name"] = func(c *Context) string { return c.classNames()[c.Member] }
	q.list("classes", func(c *Context) int { return len(c.classNames()) }, m)
}
