package quantity

import (
	"math"
	"strconv"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// objectQuantities returns the quantities of a camera at levels objects and truth. Positions are in the robot's axes.
// Positions whose names begin with "field." are in the field frame of the robot's team; they are computed from the
// robot's estimated pose.
func objectQuantities() *Set {
	q := NewSet()
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
	q.length("ball.bottom", func(c *Context) float64 { // height of the lowest point of the ball above the floor
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
	q.Vectors["self.covariance"] = Vector{Get: (*Context).selfCovariance}
	teamQuantities(q, func(*Context) bool { return true })
	goalQuantities(q)

	obstacle := func(d *abstraction.Detection) bool {
		return d.Kind != abstraction.BallKind && d.Kind != abstraction.PostKind && !d.Open
	}
	q.Lists["obstacles"] = detections(obstacle)
	q.flag("obstacles.seen", func(c *Context) bool { return c.collect(obstacle) > 0 })
	q.Lists["balls"] = detections(func(d *abstraction.Detection) bool { return d.Kind == abstraction.BallKind })
	q.Lists["posts"] = detections(func(d *abstraction.Detection) bool { return d.Kind == abstraction.PostKind })
	q.Lists["detections"] = detections(func(*abstraction.Detection) bool { return true })
	q.Lists["moving"] = detections(func(d *abstraction.Detection) bool {
		return d.VelKnown && d.Kind != abstraction.PostKind && d.VelB.Len() > reportedSpeed
	})
	q.Vectors["view.corners"] = Vector{Dim: Length, Get: (*Context).viewCorners}
	q.list("located", func(c *Context) int { return int(oneIf(c.Observation.Objects.SelfKnown)) }, NewSet())
	uncertainQuantities(q)
	lineQuantities(q)
	return q
}

// detections returns a list of the detections for which the function wanted returns true.
func detections(wanted func(*abstraction.Detection) bool) List {
	det := func(c *Context) *abstraction.Detection { return &c.Observation.Objects.Detections[c.members[c.Member]] }
	m := NewSet()
	m.vec("", func(c *Context) mgl64.Vec3 { return det(c).PosB })
	m.vec("v", func(c *Context) mgl64.Vec3 { return det(c).VelB })
	m.polar("", func(c *Context) mgl64.Vec3 { return det(c).PosB })
	m.vec("field.", func(c *Context) mgl64.Vec3 { return c.selfF.Apply(det(c).PosB) })
	m.vec("field.v", func(c *Context) mgl64.Vec3 { return c.selfF.Rotate(det(c).VelB) })
	m.plain("confidence", func(c *Context) float64 { return det(c).Visible })
	m.vec("middle.", func(c *Context) mgl64.Vec3 { return middle(det(c)) })
	m.vec("size.", func(c *Context) mgl64.Vec3 { return sizeOf(det(c)) })
	m.length("width", func(c *Context) float64 { return sizeOf(det(c))[1] })
	m.length("height", func(c *Context) float64 { return sizeOf(det(c))[2] })
	for i, name := range []string{"box.min.u", "box.min.v", "box.max.u", "box.max.v"} {
		m.plain(name, func(c *Context) float64 { return c.imageBox(det(c))[i] })
	}
	m.Vectors["covariance"] = Vector{Get: func(c *Context) []float64 { return c.locationCovariance(det(c)) }}
	m.plain("percent", func(c *Context) float64 { return 100 * det(c).Visible })
	m.plain("number", func(c *Context) float64 { return c.numberSeen(det(c).Name, det(c).Team) })
	m.Texts["kind"] = func(c *Context) string { return kindSeen(det(c).Kind, det(c).Team) }
	m.Texts["label"] = func(c *Context) string {
		return c.numbered(kindSeen(det(c).Kind, det(c).Team), c.numberSeen(det(c).Name, det(c).Team))
	}
	m.class(m.Texts["kind"])
	m.color(m.Texts["kind"])
	m.length("over", func(c *Context) float64 {
		return middle(det(c))[2] + sizeOf(det(c))[2]/2 + labelHeight
	})
	m.vec("arrow.", func(c *Context) mgl64.Vec3 { // tip of the velocity arrow
		return middle(det(c)).Add(det(c).VelB.Mul(arrowTime))
	})
	m.plain("index", func(c *Context) float64 { return float64(c.Member) })
	// index in the list of all detections
	m.plain("order", func(c *Context) float64 { return float64(c.members[c.Member]) })
	return List{m, func(c *Context) int { return c.collect(wanted) }}
}

// imageBox returns the box around a detection in the camera's image, in pixels: least u and v, largest u and v. It
// contains the corners of the detection's box in space that the camera can see, or a ball's square, and ends at the
// image's border. It is zero for a detection that is not before the camera.
func (c *Context) imageBox(d *abstraction.Detection) (box [4]float64) {
	if c.camera == nil {
		return box
	}
	model, seen := c.camera.Model(), false
	add := func(pointC mgl64.Vec3) {
		u, v, ok := model.Project(pointC)
		if !ok {
			return
		}
		u, v = mgl64.Clamp(u, 0, float64(c.lens.width-1)), mgl64.Clamp(v, 0, float64(c.lens.height-1))
		if !seen {
			box = [4]float64{u, v, u, v}
		}
		seen = true
		box = [4]float64{min(box[0], u), min(box[1], v), max(box[2], u), max(box[3], v)}
	}
	at, half := c.Observation.PoseBC.Inverse(), sizeOf(d).Mul(0.5)
	if d.Kind == abstraction.BallKind {
		centre := at.Apply(d.PosB)
		for i := range 4 {
			corner := mgl64.Vec3{half[0], half[0], 0}
			if i%2 > 0 {
				corner[0] = -corner[0]
			}
			if i/2 > 0 {
				corner[1] = -corner[1]
			}
			add(centre.Add(corner))
		}
		return box
	}
	for i := range 8 {
		corner := half
		for k := range 3 {
			if i>>k&1 > 0 {
				corner[k] = -corner[k]
			}
		}
		add(at.Apply(middle(d).Add(corner)))
	}
	return box
}

// farFloor is the distance from the camera at which a ray that does not meet the floor ends, in m. It is a guess, far
// beyond a field.
const farFloor = 100

// viewCorners returns x and y of five points of the floor in the robot's axes: those that the camera sees in the top
// left, top right, bottom right and bottom left corners and in the middle of its image.
func (c *Context) viewCorners() []float64 {
	c.numbers = c.numbers[:0]
	w, h, pose := float64(c.lens.width-1), float64(c.lens.height-1), c.Observation.PoseBC
	for _, at := range [][2]float64{{0, 0}, {w, 0}, {w, h}, {0, h}, {w / 2, h / 2}} {
		along, far := mgl64.Vec3{0, 0, 1}, float64(farFloor)
		if c.camera != nil {
			if ray, ok := c.camera.Model().Unproject(at[0], at[1]); ok {
				along = ray.Normalize()
			}
		}
		along = pose.Rotate(along)
		if along[2] < 0 {
			far = min(far, -pose.Pos[2]/along[2])
		}
		c.numbers = append(c.numbers, pose.Pos[0]+far*along[0], pose.Pos[1]+far*along[1])
	}
	return c.numbers
}

// unknownTurn is the variance of an unknown angle, in rad²: the variance of a uniform distribution over a full turn.
const unknownTurn = math.Pi * math.Pi / 3

// locationCovariance returns the 6 × 6 covariance of a detection's pose, row-major. The rows are x, y, z and the
// rotations about these axes. Units are m and rad, also if the profile has other units. At level truth, the position
// has no error. The orientation is always unknown.
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

// selfCovariance returns the covariance of the robot's estimated pose, in the form of locationCovariance. It includes
// the noise of the estimate, but not the drift while the robot sees too few lines. If the pose is unknown, the
// variances are those of a uniform distribution over the field.
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

// kindSeen returns the kind of a detection as a camera sees it: the team of a robot if its colour card is seen, else
// robot, obstacle, ball, goal_post or a kind of the world's own bodies.
func kindSeen(kind abstraction.Kind, team string) string {
	if team != "" {
		return team
	}
	return string(kind)
}

// numberSeen returns the number of a robot. It returns 0 if the team of the robot is unknown, because the card shows
// both the team and the number.
func (c *Context) numberSeen(name, team string) float64 {
	if r, ok := c.World.Robot(name); ok && team != "" {
		return float64(r.Number)
	}
	return 0
}

// reportedSpeed is the minimum speed at which a detection counts as moving, in m/s. It is twice the default error of
// speeds in VisionConfig.
const reportedSpeed = 0.3

// numberedKind is a kind of detection together with a robot's number.
type numberedKind struct {
	kind   string
	number float64
}

// numbered returns a kind with its number, such as "cyan 3", or the kind alone if the number is 0.
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

// goalQuantities adds the quantities of the opponents' goal.
func goalQuantities(q *Set) {
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
	// position of the seen post if only one post is seen, else zero
	q.vec("goal.towards.", func(c *Context) mgl64.Vec3 {
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

// lineQuantities adds the lists of lines, crossings and circles.
func lineQuantities(q *Set) {
	m := NewSet()
	m.vec("start.", func(c *Context) mgl64.Vec3 { return flat(c.Observation.Objects.Lines[c.Member].StartB) })
	m.vec("end.", func(c *Context) mgl64.Vec3 { return flat(c.Observation.Objects.Lines[c.Member].EndB) })
	m.plain("confidence", func(c *Context) float64 { return c.Observation.Objects.Lines[c.Member].Confidence })
	q.list("lines", func(c *Context) int { return len(c.Observation.Objects.Lines) }, m)

	m = NewSet()
	m.vec("", func(c *Context) mgl64.Vec3 { return flat(c.Observation.Objects.Crossings[c.Member].AtB) })
	m.Texts["kind"] = func(c *Context) string { return string(c.Observation.Objects.Crossings[c.Member].Kind) }
	q.list("crossings", func(c *Context) int { return len(c.Observation.Objects.Crossings) }, m)

	m = NewSet()
	m.vec("", func(c *Context) mgl64.Vec3 { return c.rim(0) })
	m.vec("left.", func(c *Context) mgl64.Vec3 { return c.rim(1) })
	m.vec("right.", func(c *Context) mgl64.Vec3 { return c.rim(-1) })
	q.list("circles", func(c *Context) int { return len(c.Observation.Objects.Circles) }, m)
}

// rim returns a point of the centre circle as the robot sees it: the centre (side 0), the leftmost point (side 1) or
// the rightmost point (side -1).
func (c *Context) rim(side float64) mgl64.Vec3 {
	middle := c.Observation.Objects.Circles[c.Member]
	across := mgl64.Vec2{0, 1}
	if d := middle.Len(); d > 0 {
		across = mgl64.Vec2{-middle[1] / d, middle[0] / d}
	}
	return flat(middle.Add(across.Mul(side * c.World.Field.CentreCircle)))
}

// spread holds the standard deviations of a horizontal position in polar coordinates: of the distance in m, and of the
// bearing in rad.
type spread struct{ distance, bearing float64 }

// sectorSteps is the number of line segments in each of the two arcs of a sector.
const sectorSteps = 8

// farthest is the maximum distance of a sector's far arc from the robot, in metres. The limit is needed because the
// standard deviation grows without bound near the horizon.
const farthest = 50

// uncertainQuantities adds the list of detections with uncertain positions. Each member has a sector around the
// detection: one standard deviation of distance and bearing in each direction.
func uncertainQuantities(q *Set) {
	l := detections(func(*abstraction.Detection) bool { return true })
	l.Len = (*Context).findUncertain
	at := func(c *Context) *spread { return &c.spreads[c.Member] }
	l.Members.length("distance.sigma", func(c *Context) float64 { return at(c).distance })
	l.Members.angle("bearing.sigma", func(c *Context) float64 { return at(c).bearing })
	corners := NewSet()
	corners.vec("", func(c *Context) mgl64.Vec3 { return c.sectorCorner(c.begin, c.Member) })
	l.Members.list("sector", func(c *Context) int { c.begin = c.Member; return 2*(sectorSteps+1) + 1 }, corners)
	q.Lists["uncertain"] = l
}

// findUncertain collects the detections with uncertain positions and returns their number. At level truth the number is
// 0.
func (c *Context) findUncertain() int {
	c.members, c.spreads = c.members[:0], c.spreads[:0]
	if c.Observation.Level == abstraction.Truth || c.camera == nil {
		return 0
	}
	for i := range c.Observation.Objects.Detections {
		d := &c.Observation.Objects.Detections[i]
		distance := math.Hypot(d.PosB[0], d.PosB[1])
		if distance == 0 {
			continue
		}
		cov := c.camera.LocationCovariance(d.Kind, c.Observation.PoseBC, d.PosB)
		ahead := mgl64.Vec3{d.PosB[0] / distance, d.PosB[1] / distance, 0}
		beside := mgl64.Vec3{-ahead[1], ahead[0], 0}
		along := func(v mgl64.Vec3) float64 { return math.Sqrt(math.Max(0, v.Dot(cov.Mul3x1(v)))) }
		s := spread{along(ahead), math.Min(along(beside)/distance, math.Pi)}
		if s.distance > 0 || s.bearing > 0 {
			c.members, c.spreads = append(c.members, i), append(c.spreads, s)
		}
	}
	return len(c.members)
}

// sectorCorner returns one corner of the sector around a detection, in the robot's axes at the detection's height. The
// corners form a closed outline: along the far arc, and back along the near arc.
func (c *Context) sectorCorner(detection, corner int) mgl64.Vec3 {
	d, s := &c.Observation.Objects.Detections[c.members[detection]], &c.spreads[detection]
	distance, bearing := math.Hypot(d.PosB[0], d.PosB[1]), math.Atan2(d.PosB[1], d.PosB[0])
	r, k := math.Min(distance+s.distance, math.Max(distance, farthest)), float64(corner%(2*(sectorSteps+1)))
	if k > sectorSteps {
		r, k = math.Max(0, distance-s.distance), 2*sectorSteps+1-k
	}
	sin, cos := math.Sincos(bearing + s.bearing*(2*k/sectorSteps-1))
	return mgl64.Vec3{r * cos, r * sin, d.PosB[2]}
}
