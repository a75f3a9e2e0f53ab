package mapping

import (
	"math"
	"strconv"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// objectQuantities are those of a camera at objects and truth: places in the robot's axes, and field.* in its team's
// field frame, by where the robot believes to be.
func objectQuantities() *quantities {
	q := newQuantities()
	ball := func(c *Context) abstraction.Detection {
		if c.ball == nil {
			return abstraction.Detection{}
		}
		return *c.ball
	}
	posB := func(c *Context) mgl64.Vec3 { return ball(c).PosB }
	q.flag("ball.seen", func(c *Context) bool { return c.ball != nil })
	q.flag("ball.velocity_known", func(c *Context) bool { return ball(c).VelKnown })
	q.flag("ball.field.known", func(c *Context) bool { return c.ball != nil && c.Observation.Objects.SelfKnown })
	q.plain("ball.confidence", func(c *Context) float64 { return ball(c).Visible })
	q.vec("ball.", posB)
	q.vec("ball.v", func(c *Context) mgl64.Vec3 { return ball(c).VelB })
	q.polar("ball.", posB)
	q.length("ball.bottom", func(c *Context) float64 { // height of its lowest point
		if c.ball == nil {
			return 0
		}
		return c.ball.PosB[2] - c.World.Ball.Radius
	})
	q.vec("ball.field.", func(c *Context) mgl64.Vec3 {
		if c.ball == nil {
			return mgl64.Vec3{}
		}
		return c.selfF.Apply(c.ball.PosB)
	})
	q.vec("ball.field.v", func(c *Context) mgl64.Vec3 { return c.selfF.Rotate(ball(c).VelB) })
	q.flag("ball.flying", func(c *Context) bool { return ball(c).Flying })
	q.vec("ball.touchdown.", func(c *Context) mgl64.Vec3 { return ball(c).TouchdownB })
	q.Times["ball.touchdown.in"] = func(c *Context) time.Duration { return ball(c).TouchdownIn }

	q.flag("self.known", func(c *Context) bool { return c.Observation.Objects.SelfKnown })
	q.pose("self.", func(c *Context) spatial.Pose { return c.Observation.Objects.Self })
	q.pose("self.field.", func(c *Context) spatial.Pose { return c.selfF })
	q.Vectors["self.covariance"] = vector{get: (*Context).selfCovariance}
	teamQuantities(q, func(*Context) bool { return true })
	goalQuantities(q)

	obstacle := func(d *abstraction.Detection) bool {
		return d.Kind == abstraction.RobotKind || d.Kind == abstraction.ObstacleKind
	}
	q.Lists["obstacles"] = detections(obstacle)
	q.flag("obstacles.seen", func(c *Context) bool { return c.collect(obstacle) > 0 })
	q.Lists["balls"] = detections(func(d *abstraction.Detection) bool { return d.Kind == abstraction.BallKind })
	q.Lists["posts"] = detections(func(d *abstraction.Detection) bool { return d.Kind == abstraction.PostKind })
	q.Lists["detections"] = detections(func(*abstraction.Detection) bool { return true })
	q.Lists["moving"] = detections(func(d *abstraction.Detection) bool {
		return d.VelKnown && d.Kind != abstraction.PostKind && d.VelB.Len() > reportedSpeed
	})
	q.list("located", func(c *Context) int { return int(oneIf(c.Observation.Objects.SelfKnown)) }, newQuantities())
	uncertainQuantities(q)
	lineQuantities(q)
	return q
}

// detections is a list of what a camera has found.
func detections(is func(*abstraction.Detection) bool) list {
	det := func(c *Context) *abstraction.Detection { return &c.Observation.Objects.Detections[c.members[c.at]] }
	m := newQuantities()
	m.vec("", func(c *Context) mgl64.Vec3 { return det(c).PosB })
	m.vec("v", func(c *Context) mgl64.Vec3 { return det(c).VelB })
	m.polar("", func(c *Context) mgl64.Vec3 { return det(c).PosB })
	m.vec("field.", func(c *Context) mgl64.Vec3 { return c.selfF.Apply(det(c).PosB) })
	m.vec("field.v", func(c *Context) mgl64.Vec3 { return c.selfF.Rotate(det(c).VelB) })
	m.plain("confidence", func(c *Context) float64 { return det(c).Visible })
	m.vec("middle.", func(c *Context) mgl64.Vec3 {
		return middle(det(c).Kind, det(c).PosB,
			c.size(det(c).Kind, det(c).Name))
	})
	m.vec("size.", func(c *Context) mgl64.Vec3 { return c.size(det(c).Kind, det(c).Name) })
	m.length("width", func(c *Context) float64 { return c.size(det(c).Kind, det(c).Name)[1] })
	m.length("height", func(c *Context) float64 { return c.size(det(c).Kind, det(c).Name)[2] })
	m.Vectors["covariance"] = vector{get: func(c *Context) []float64 { return c.locationCovariance(det(c)) }}
	m.plain("number", func(c *Context) float64 { return c.numberSeen(det(c).Name, det(c).Team) })
	m.Texts["kind"] = func(c *Context) string { return kindSeen(det(c).Kind, det(c).Team) }
	m.Texts["label"] = func(c *Context) string {
		return c.numbered(kindSeen(det(c).Kind, det(c).Team), c.numberSeen(det(c).Name, det(c).Team))
	}
	m.color(m.Texts["kind"])
	m.length("over", func(c *Context) float64 {
		size := c.size(det(c).Kind, det(c).Name)
		return middle(det(c).Kind, det(c).PosB, size)[2] + size[2]/2 + labelHeight
	})
	m.vec("arrow.", func(c *Context) mgl64.Vec3 { // the end of one from the middle
		d := det(c)
		return middle(d.Kind, d.PosB, c.size(d.Kind, d.Name)).Add(d.VelB.Mul(arrowTime))
	})
	m.plain("index", func(c *Context) float64 { return float64(c.at) })
	m.plain("order", func(c *Context) float64 { return float64(c.members[c.at]) }) // among detections
	return list{m, func(c *Context) int { return c.collect(is) }}
}

// unknownTurn is the variance of an angle of which nothing is known, rad²: that of a uniform distribution over a full
// turn.
const unknownTurn = math.Pi * math.Pi / 3

// locationCovariance is that of a detection's pose: 6 × 6, row by row, of x, y, z and the turns about them, m and rad,
// whatever the profile's units. At truth there are no errors of the place; vision does not tell how things are turned.
func (c *Context) locationCovariance(d *abstraction.Detection) []float64 {
	c.numbers = append(c.numbers[:0], make([]float64, 36)...)
	for i := 3; i < 6; i++ {
		c.numbers[7*i] = unknownTurn
	}
	if c.Observation.Level == abstraction.Truth || c.camera == nil {
		return c.numbers
	}
	cov := c.camera.LocationCovariance(d.Kind, c.Observation.PoseBC, d.PosB)
	for i := range 3 {
		for j := range 3 {
			c.numbers[6*i+j] = cov.At(i, j)
		}
	}
	return c.numbers
}

// selfCovariance is that of where the robot believes to be, as locationCovariance has it: of the noise without the
// drift while it sees too few lines; and of being anywhere on the field where it does not know.
func (c *Context) selfCovariance() []float64 {
	c.numbers = append(c.numbers[:0], make([]float64, 36)...)
	x, y, turn := 0.0, 0.0, 0.0
	switch f, v := &c.World.Field, c.Sensor.Vision; {
	case !c.Observation.Objects.SelfKnown:
		x, y, turn = f.Length*f.Length/12, f.Width*f.Width/12, unknownTurn
	case c.Observation.Level != abstraction.Truth && v != nil:
		x, y, turn = v.SelfPosNoise*v.SelfPosNoise, v.SelfPosNoise*v.SelfPosNoise, v.SelfAngNoise*v.SelfAngNoise
	}
	c.numbers[0], c.numbers[7], c.numbers[35] = x, y, turn
	return c.numbers
}

// kindSeen is cyan or magenta of a robot whose card is seen, else robot, obstacle, ball or goal_post.
func kindSeen(kind abstraction.Kind, team string) string {
	if team != "" {
		return team
	}
	return string(kind)
}

// numberSeen is the number on a robot's shirt; 0 where its card, and so the shirt, is not seen.
func (c *Context) numberSeen(name, team string) float64 {
	if r, ok := c.World.Robot(name); ok && team != "" {
		return float64(r.Number)
	}
	return 0
}

// reportedSpeed is the smallest that is drawn of what vision reports, m/s: twice the error that VisionConfig has by
// default.
const reportedSpeed = 0.3

// numberedKind is a kind of robot with its number.
type numberedKind struct {
	kind   string
	number float64
}

// numbered is a kind with its number, if it has one: "cyan 3".
func (c *Context) numbered(kind string, number float64) string {
	if number == 0 {
		return kind
	}
	key := numberedKind{kind, number}
	text, ok := c.labels[key]
	if !ok {
		if c.labels == nil {
			c.labels = map[numberedKind]string{}
		}
		text = kind + " " + strconv.Itoa(int(number))
		c.labels[key] = text
	}
	return text
}

// goalQuantities are those of the opponents' goal.
func goalQuantities(q *quantities) {
	goal := func(c *Context) abstraction.GoalObject {
		if c.goal == nil {
			return abstraction.GoalObject{}
		}
		return *c.goal
	}
	q.flag("goal.seen", func(c *Context) bool { return c.goal != nil })
	q.flag("goal.left.known", func(c *Context) bool { return goal(c).LeftKnown })
	q.flag("goal.right.known", func(c *Context) bool { return goal(c).RightKnown })
	q.vec("goal.left.", func(c *Context) mgl64.Vec3 { return goal(c).LeftB })
	q.vec("goal.right.", func(c *Context) mgl64.Vec3 { return goal(c).RightB })
	q.vec("goal.towards.", func(c *Context) mgl64.Vec3 { // the only post that was found; zero if both were
		switch g := goal(c); {
		case g.LeftKnown == g.RightKnown:
			return mgl64.Vec3{}
		case g.LeftKnown:
			return g.LeftB
		default:
			return g.RightB
		}
	})
	q.vec("goal.middle.", func(c *Context) mgl64.Vec3 {
		switch g := goal(c); {
		case g.LeftKnown && g.RightKnown:
			return g.LeftB.Add(g.RightB).Mul(0.5)
		case g.LeftKnown:
			return g.LeftB
		default:
			return g.RightB
		}
	})
}

// lineQuantities are lists of lines, crossings and circles in the robot's axes.
func lineQuantities(q *quantities) {
	m := newQuantities()
	m.vec("start.", func(c *Context) mgl64.Vec3 { return flat(c.Observation.Objects.Lines[c.at].StartB) })
	m.vec("end.", func(c *Context) mgl64.Vec3 { return flat(c.Observation.Objects.Lines[c.at].EndB) })
	m.plain("confidence", func(c *Context) float64 { return c.Observation.Objects.Lines[c.at].Confidence })
	q.list("lines", func(c *Context) int { return len(c.Observation.Objects.Lines) }, m)

	m = newQuantities()
	m.vec("", func(c *Context) mgl64.Vec3 { return flat(c.Observation.Objects.Crossings[c.at].AtB) })
	m.Texts["kind"] = func(c *Context) string { return string(c.Observation.Objects.Crossings[c.at].Kind) }
	q.list("crossings", func(c *Context) int { return len(c.Observation.Objects.Crossings) }, m)

	m = newQuantities()
	m.vec("", func(c *Context) mgl64.Vec3 { return c.rim(0) })
	m.vec("left.", func(c *Context) mgl64.Vec3 { return c.rim(1) })
	m.vec("right.", func(c *Context) mgl64.Vec3 { return c.rim(-1) })
	q.list("circles", func(c *Context) int { return len(c.Observation.Objects.Circles) }, m)
}

// rim is the middle of the centre circle that is seen, or its leftmost (1) or rightmost (-1) point from where the robot
// stands.
func (c *Context) rim(side float64) mgl64.Vec3 {
	middle := c.Observation.Objects.Circles[c.at]
	across := mgl64.Vec2{0, 1}
	if d := middle.Len(); d > 0 {
		across = mgl64.Vec2{-middle[1] / d, middle[0] / d}
	}
	return flat(middle.Add(across.Mul(side * c.World.Field.CentreCircle)))
}
