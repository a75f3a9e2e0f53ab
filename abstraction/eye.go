package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Eye is a camera at one instant.
type Eye struct {
	Model    optics.Model
	PoseWC   spatial.Pose // of the optical frame
	MaxRange float64      // metres; farther objects are not resolved
	Sight    *Sight       // of Model; nil works too, more slowly
	Housing  *Housing     // the robot that carries it; nil hides nothing
	Heading  float64      // of that robot, rad

	turn  mgl64.Mat3    // from the optical frame into W; set by open, as is what follows
	axis  mgl64.Vec3    // of the camera, W
	edges [4]mgl64.Vec3 // W, inwards: normals of the planes that bound what it sees
	edged bool          // those are all there is to its image
}

// open prepares an eye to look.
func (e *Eye) open() {
	e.turn = e.PoseWC.Rotation()
	e.axis = mgl64.Vec3{e.turn[6], e.turn[7], e.turn[8]}
	if e.edged = e.Sight != nil && e.Sight.edged; e.edged {
		for i := range e.Sight.edges {
			e.edges[i] = turned(&e.turn, &e.Sight.edges[i])
		}
	}
}

// turned returns m·v, and back mᵀ·v: mgl64's own, whose arrays go through memory, take three times as long.
func turned(m *mgl64.Mat3, v *mgl64.Vec3) mgl64.Vec3 {
	x, y, z := v[0], v[1], v[2]
	return mgl64.Vec3{m[0]*x + m[3]*y + m[6]*z, m[1]*x + m[4]*y + m[7]*z, m[2]*x + m[5]*y + m[8]*z}
}

func back(m *mgl64.Mat3, x, y, z float64) mgl64.Vec3 {
	return mgl64.Vec3{m[0]*x + m[1]*y + m[2]*z, m[3]*x + m[4]*y + m[5]*z, m[6]*x + m[7]*y + m[8]*z}
}

// manyTargets are more than a match has; more cost memory.
const manyTargets = 32

// sighting is how a target lies before the eye.
type sighting struct {
	toX, toY    float64 // W, from the eye to the axis
	flat        float64 // length of that
	reach       float64 // of the target from its axis
	bottom, top float64 // over the eye
	sin, cos    float64 // of half the azimuth that it takes
	from, to    float64 // slopes that it stays within
	around      bool    // the eye is over, under or in it
	out         bool    // too far, or beside the picture: neither seen nor before what is
	whole       bool    // all of it is in the picture
	distance    float64 // to its middle
}

// sight returns how the scene's targets lie before the eye, in into's memory.
func (e *Eye) sight(scene *Scene, into []sighting) []sighting {
	into = into[:0]
	for i := range scene.Targets {
		into = append(into, e.sightOf(&scene.Targets[i]))
	}
	return into
}

func (e *Eye) sightOf(t *Target) sighting {
	eye := e.PoseWC.Pos
	s := sighting{toX: t.PoseWT.Pos[0] - eye[0], toY: t.PoseWT.Pos[1] - eye[1], bottom: t.PoseWT.Pos[2] - eye[2], top: t.PoseWT.Pos[2] - eye[2]}
	if t.Shape.Kind == Sphere {
		s.reach = t.Shape.Radius
		s.bottom -= s.reach
		s.top += s.reach
	} else {
		s.reach = t.Outline.reach
		s.top += t.Outline.top
		s.bottom += t.Outline.bottom
	}
	flat2, far := s.toX*s.toX+s.toY*s.toY, e.MaxRange+s.reach
	middle, half := (s.bottom+s.top)/2, (s.top-s.bottom)/2
	if s.out = flat2 > far*far; s.out {
		return s
	}
	s.distance = math.Sqrt(flat2 + middle*middle)
	if s.out, s.whole = e.reaches(&s, math.Sqrt(s.reach*s.reach+half*half)); s.out {
		return s
	}
	s.flat = math.Sqrt(flat2)
	if s.around = s.flat <= s.reach; s.around {
		s.sin, s.cos = 1, 0
		s.from, s.to = -steep, steep
		return s
	}
	s.sin = s.reach / s.flat
	s.cos = math.Sqrt(1 - s.sin*s.sin)
	s.from, s.to = prismSlopes(s.flat-s.reach, s.flat+s.reach, s.bottom, s.top)
	return s
}

// mayHide tells whether o can stand before a target.
func (o *sighting) mayHide(target *sighting) bool {
	if o.out || o.flat-o.reach > target.flat+target.reach || o.from > target.to || o.to < target.from {
		return false
	}
	if o.around || target.around {
		return true
	}
	// The angle between their azimuths against the sum of their halves, by cosines.
	return o.toX*target.toX+o.toY*target.toY >= o.flat*target.flat*(o.cos*target.cos-o.sin*target.sin-1e-9)
}

// Visible returns the share of a target's silhouette that the camera sees, by solid angle, 0 to 1: what is within the image, in
// range, and not behind other targets. Bodies count as upright.
func (e *Eye) Visible(scene *Scene, target int) float64 {
	e.open()
	var buf [manyTargets]sighting
	return e.visible(scene, target, e.sight(scene, buf[:]))
}

func (e *Eye) visible(scene *Scene, target int, seen []sighting) float64 {
	self := &seen[target]
	if self.out || self.distance > e.MaxRange || self.distance == 0 {
		return 0
	}
	var buf [manyTargets]int
	occluders := buf[:0]
	for i := range seen {
		if i != target && &scene.Targets[i] != scene.Self && seen[i].mayHide(self) {
			occluders = append(occluders, i)
		}
	}
	forward := math.Atan2(self.toY, self.toX)
	if len(occluders) == 0 && self.whole && e.Housing.free(forward-e.Heading, arcsine(self.sin), self.from, self.to) {
		return 1
	}
	return e.share(scene, target, seen, occluders, forward)
}

// reaches tells whether nothing of a sphere around a target is in the image, or all of it; bound is its radius in metres.
func (e *Eye) reaches(s *sighting, bound float64) (misses, whole bool) {
	z := (s.bottom + s.top) / 2
	if e.edged {
		whole = true
		for i := range e.edges {
			n := &e.edges[i]
			d := n[0]*s.toX + n[1]*s.toY + n[2]*z
			misses = misses || d < -bound
			whole = whole && d > bound
		}
		return misses, whole
	}
	if e.Sight == nil {
		return false, false
	}
	radius := math.Pi // it may be all around
	if bound < s.distance {
		radius = math.Asin(bound / s.distance)
	}
	angle := math.Acos(max(-1, min(1, (e.axis[0]*s.toX+e.axis[1]*s.toY+e.axis[2]*z)/s.distance)))
	return e.Sight.misses(angle, radius), e.Sight.holds(angle, radius)
}

// share adds up what is visible of a target, one upright plane through the eye after the other.
func (e *Eye) share(scene *Scene, target int, seen []sighting, occluders []int, forward float64) float64 {
	t, self := &scene.Targets[target], &seen[target]
	whole := self.whole
	ux, uy := 1.0, 0.0
	if self.flat > 0 {
		ux, uy = self.toX/self.flat, self.toY/self.flat
	}
	// Of what looks small, slopes are as good a measure as solid angles, and cost no roots.
	small := self.to-self.from < 0.3
	all, shown := 0.0, 0.0
	var set slopes // of each column in turn: zeroing one costs as much as filling it
	for column := range columns {
		sin := self.sin * offset(column)
		cos := math.Sqrt(1 - sin*sin)
		line := sightLine{x: ux*cos - uy*sin, y: ux*sin + uy*cos, azimuth: forward + arcsine(sin)}
		set.n = 0
		near := line.add(&set, t, self)
		width := 1 / cos // equal steps in the sine are wider here in angle
		all += width * set.size(small)
		if e.Housing != nil {
			own := e.Housing.at(line.azimuth - e.Heading)
			for i := range own.n {
				set.cut(own.from[i], own.to[i])
			}
		}
		for _, i := range occluders {
			if set.n > 0 {
				line.cut(&set, near, &scene.Targets[i], &seen[i])
			}
		}
		switch {
		case set.n == 0:
			continue
		case e.edged && !whole:
			e.trim(&set, &line)
		case !whole:
			shown += width * e.inside(&set, &line, self.flat, small)
			continue
		}
		shown += width * set.size(small)
	}
	if all == 0 {
		return 0
	}
	return shown / all
}

// arcsine is math.Asin, faster and 2e-4 off at most, where that is enough to look up a direction.
func arcsine(x float64) float64 {
	if math.Abs(x) < 0.3 {
		return x * (1 + x*x/6)
	}
	return math.Asin(x)
}

// sightLine is the direction of an upright plane through the eye, in W.
type sightLine struct{ x, y, azimuth float64 }

// pass returns how far ahead the foot of a target's axis is, and how far to the left of it the plane passes.
func (l *sightLine) pass(s *sighting) (ahead, beside float64) {
	return l.x*s.toX + l.y*s.toY, l.y*s.toX - l.x*s.toY
}

// add adds the slopes at which the plane meets a target, and returns how near it is.
func (l *sightLine) add(set *slopes, t *Target, s *sighting) (nearest float64) {
	ahead, beside := l.pass(s)
	if t.Shape.Kind == Sphere {
		half := math.Sqrt(max(0, s.reach*s.reach-beside*beside))
		if from, to, ok := discSlopes(ahead, (s.bottom+s.top)/2, half); ok {
			set.add(from, to)
		}
		return ahead - half
	}
	nearest = math.Inf(1)
	base := s.top - t.Outline.top
	chords := t.Outline.of(l.azimuth-t.heading, beside)
	for i := range chords {
		c := &chords[i]
		near, far := ahead+float64(c.from), ahead+float64(c.to)
		if far <= 0 {
			continue
		}
		near = max(near, 0)
		nearest = min(nearest, near)
		set.add(prismSlopes(near, far, base+float64(c.bottom), base+float64(c.top)))
	}
	return nearest
}

// cut takes out the slopes at which the plane meets another target nearer than before.
func (l *sightLine) cut(set *slopes, before float64, t *Target, s *sighting) {
	ahead, beside := l.pass(s)
	if math.Abs(beside) >= s.reach || ahead-s.reach > before {
		return
	}
	if t.Shape.Kind == Sphere {
		half := math.Sqrt(s.reach*s.reach - beside*beside)
		if from, to, ok := discSlopes(ahead, (s.bottom+s.top)/2, half); ok && ahead-half < before {
			set.cut(from, to)
		}
		return
	}
	base := s.top - t.Outline.top
	chords := t.Outline.of(l.azimuth-t.heading, beside)
	for i := range chords {
		c := &chords[i]
		near, far := ahead+float64(c.from), ahead+float64(c.to)
		if far <= 0 || near >= before {
			continue
		}
		set.cut(prismSlopes(max(near, 0), far, base+float64(c.bottom), base+float64(c.top)))
	}
}

// insideSteps is how many points of a piece are looked for in the image.
const insideSteps = 6

// inside returns the size of the part of a set that is within the image; distance is how far away it is.
func (e *Eye) inside(set *slopes, line *sightLine, distance float64, small bool) float64 {
	sum := 0.0
	for i := range set.n {
		from, to := sine(set.from[i]), sine(set.to[i])
		in := 0
		for k := range insideSteps {
			s := from + (to-from)*(float64(k)+0.5)/insideSteps
			slope := s / math.Sqrt(1-s*s)
			if u, v, ok := e.Model.Project(back(&e.turn, line.x*distance, line.y*distance, slope*distance)); ok && optics.Inside(e.Model, u, v) {
				in++
			}
		}
		part := to - from
		if small {
			part = set.to[i] - set.from[i]
		}
		sum += part * float64(in) / insideSteps
	}
	return sum
}

// trim takes out of a set what lies beyond the image's edges.
func (e *Eye) trim(set *slopes, line *sightLine) {
	for i := range e.edges {
		n := &e.edges[i]
		level, rise := n[0]*line.x+n[1]*line.y, n[2] // inside: level + slope·rise ≥ 0
		switch {
		case rise > 0:
			set.cut(-steep, -level/rise)
		case rise < 0:
			set.cut(-level/rise, steep)
		case level < 0:
			set.n = 0
		}
	}
}
