package quantity

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// WorldFrames are the names that messages give to the world frame.
var WorldFrames = []string{"", "world", MapFrame}

// MapFrame is the name of the world frame in messages, from REP 105.
const MapFrame = "map"

// The kinds of models that no action moves.
const (
	fixedKind = "fixed"
	floorKind = "floor"
)

// Links holds the names of models' links. Each model has one link.
type Links struct {
	Ball  string `toml:"ball" doc:"link of the ball"`
	Robot string `toml:"robot" doc:"link of each robot"`
}

// name returns the name of the link of a kind of model. Without a name in the profile, and for models that are neither
// the ball nor a robot, it is link, as in Gazebo's own models.
func (l *Links) name(kind string) string {
	name := l.Robot
	switch kind {
	case "ball":
		name = l.Ball
	case "obstacle", fixedKind, floorKind:
		name = ""
	}
	return cmp.Or(name, "link")
}

// link returns the full name of a model's only link, as in Gazebo: the name of the model, "::", the name of the link.
func (c *Context) link(m *model) string { return m.name + "::" + c.Links.name(m.kind) }

// static returns the number of models that do not move: the floor and fixedModels.
func (c *Context) static() int { return 1 + c.fixed() }

// staticModel returns the static model with an index.
func (c *Context) staticModel(i int) model {
	if i == 0 {
		return model{name: "ground_plane", kind: floorKind, poseWM: spatial.Identity()}
	}
	return model{name: c.Name(fixedModels[i-1]), kind: fixedKind, poseWM: c.fixedPose(i - 1)}
}

// any returns the model with an index among all models: first the static models, and then the movable ones. The pose is
// the one that the software sees.
func (c *Context) any(i int) model {
	if i < c.static() {
		return c.staticModel(i)
	}
	m := c.model(i - c.static())
	m.poseWM = c.seen(&m)
	return m
}

// seen returns the pose of a model as the profile's software sees it: robots of turned teams are turned by half a turn.
func (c *Context) seen(m *model) spatial.Pose {
	pose := m.poseWM
	if slices.Contains(c.Turned, physics.Team(m.kind)) {
		pose.Rot = pose.Rot.Mul(spatial.RotZ(halfTurn))
	}
	return pose
}

// Thing returns the name in the world file of the thing that a profile's software calls by the given name. The name may
// also be the full name of a model's link. A name of nothing is returned unchanged.
func (c *Context) Thing(name string) string {
	short, link, scoped := strings.Cut(name, "::")
	thing := short
	for of, called := range c.Names {
		if called == short {
			thing = of
		}
	}
	if !scoped {
		return thing
	}
	kind := "obstacle"
	if _, robot := c.World.Robot(thing); robot {
		kind = "robot"
	} else if thing == "ball" {
		kind = thing
	}
	if c.Links.name(kind) != link {
		return name
	}
	return thing
}

// Choose makes the quantities of a service's response describe the model with the given name, in the frame of the
// model or link with the name frame. If link is true, the name must be that of a link. Choose fails if there is no such
// model, link or frame.
func (c *Context) Choose(name, frame string, link bool) error {
	c.chosen, c.chosenFrame = model{}, frame
	m, ok := c.find(name, !link, link)
	switch {
	case !ok && link:
		return fmt.Errorf("%.80q is no link%s", name, rules.DidYouMean(name, c.all(true)))
	case !ok:
		return fmt.Errorf("%.80q is no model%s", name, rules.DidYouMean(name, c.all(false)))
	}
	if !slices.Contains(WorldFrames, frame) {
		f, ok := c.find(frame, true, true)
		if !ok {
			return fmt.Errorf("%.80q is no model or link, and not the world%s", frame,
				rules.DidYouMean(frame, c.all(false)))
		}
		m.poseWM = f.poseWM.Inverse().Mul(m.poseWM)
		m.twistWMInW.Lin = f.poseWM.Unrotate(m.twistWMInW.Lin.Sub(f.twistWMInW.Lin))
		m.twistWMInW.Ang = f.poseWM.Unrotate(m.twistWMInW.Ang.Sub(f.twistWMInW.Ang))
	}
	c.chosen = m
	return nil
}

// find returns the model whose name, or the full name of whose link, is the given name.
func (c *Context) find(name string, asModel, asLink bool) (model, bool) {
	for i := range c.static() + c.models() {
		if m := c.any(i); m.poseWM.Absent() {
			continue
		} else if asModel && m.name == name || asLink && c.link(&m) == name {
			return m, true
		}
	}
	return model{}, false
}

// all returns the names of all models, or the full names of their links.
func (c *Context) all(links bool) (names []string) {
	for i := range c.static() + c.models() {
		m := c.any(i)
		if m.poseWM.Absent() {
			continue
		}
		if links {
			m.name = c.link(&m)
		}
		names = append(names, m.name)
	}
	return names
}

// OfReply returns the quantities that only replies to messages have: the error of a message that no action can be made
// of, and the number of its actions that are valid in the world.
func OfReply() *Set {
	q := NewSet()
	q.Texts["answer.error"] = answerError
	q.Texts["answer.actions"] = func(c *Context) string { return strconv.Itoa(c.Answer.Actions) }
	return q
}

func answerError(c *Context) string {
	if c.Answer.Err == nil {
		return ""
	}
	return c.Answer.Err.Error()
}

// OfAnswer returns the quantities that only responses of services have: the result of the call, and the model that the
// request names.
func OfAnswer() *Set {
	q := NewSet()
	q.flag("answer.holding", func(c *Context) bool { return c.Answer.Holding })
	q.flag("answer.reachable", func(c *Context) bool { return c.Answer.Reachable })
	q.flag("answer.kicked", func(c *Context) bool { return c.Answer.Kicked })
	q.flag("answer.done", func(c *Context) bool { return c.Answer.Err == nil })
	q.Texts["answer.error"] = answerError
	q.Texts["model"] = func(c *Context) string { return c.chosen.name }
	q.Texts["model.link"] = func(c *Context) string {
		if c.chosen.name == "" {
			return ""
		}
		return c.link(&c.chosen)
	}
	q.Texts["model.body"] = func(c *Context) string { return c.Links.name(c.chosen.kind) } // the link's own name
	q.Texts["model.frame"] = func(c *Context) string { return c.chosenFrame }
	q.flag("model.static", func(c *Context) bool { return c.chosen.kind == fixedKind || c.chosen.kind == floorKind })
	q.pose("model.", func(c *Context) spatial.Pose { return c.chosen.poseWM })
	q.vec("model.v", func(c *Context) mgl64.Vec3 { return c.chosen.twistWMInW.Lin })
	q.rates("model.w", func(c *Context) mgl64.Vec3 { return c.chosen.twistWMInW.Ang })
	return q
}
