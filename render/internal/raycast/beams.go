package raycast

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// BeamModel is a scene prepared for beams of light. It does not change, so any number of BeamCasters may share it.
type BeamModel struct {
	*model
	matter  []beamMatter // by material
	static  []bool       // by body
	walls   float32      // reflectances of the room, mean of the colours
	ceiling float32
	hall    bool // the scene has a room
}

// beamMatter is how a material reflects a beam back to its source.
type beamMatter struct {
	matt   float32 // factor of the colour: what the surface layer leaves
	f0     float32 // reflectance of the surface layer at normal incidence
	alpha2 float32 // square of GGX's roughness
}

// smoothest is the smallest roughness of GGX for beams, whose width blurs the highlight of a mirror. It is a guess.
const smoothest = 0.02

// NewBeamModel prepares a scene, which must not change afterwards.
func NewBeamModel(scene *render.Scene) (*BeamModel, error) {
	if err := scene.Validate(); err != nil {
		return nil, fmt.Errorf("render/raycast: %w", err)
	}
	m := &BeamModel{model: newModel(scene), hall: scene.Room.Margin > 0,
		walls: mean(rays.Vec32(scene.Room.Wall)), ceiling: mean(rays.Vec32(scene.Room.Ceiling))}
	for i := range scene.Materials {
		x := &scene.Materials[i]
		alpha := max(x.Roughness, smoothest)
		b := beamMatter{matt: 1 - x.Gloss, f0: mean(rays.Vec32(x.F0)), alpha2: alpha * alpha}
		if x.Metal {
			b.matt = 0
		}
		m.matter = append(m.matter, b)
	}
	for i := range scene.Bodies {
		m.static = append(m.static, scene.Bodies[i].Static)
	}
	return m, nil
}

// mean returns the mean of a colour's channels. The colour says nothing about infrared light, so the mean stands for
// the reflectance at the wavelength of a laser.
func mean(color rays.Vec) float32 { return (color.X + color.Y + color.Z) / 3 }

// Echo is what a beam of light meets first.
type Echo struct {
	Range float32 // m; +Inf if the beam meets nothing
	// Reflectance is the light that returns to the source, relative to that from a white matt surface which the beam
	// meets at a right angle. A mirror that the beam meets at a right angle returns more than 1.
	Reflectance float32
	Body, Part  int32 // indices in the scene; Body is one of the constants below for what is no body
}

// Values of Echo.Body.
const (
	EchoNone  int32 = -1 - iota // nothing
	EchoFloor                   // the floor
	EchoHall                    // walls and ceiling of the room
)

// BeamColumn is a fan of beams that start at one place at one instant.
type BeamColumn struct {
	PoseWS spatial.Pose // of the frame in which the beams' directions are given
	Share  float64      // instant, from 0 at the first to 1 at the second poses of the Sector
}

// Sector is several neighbouring BeamColumns, during which the bodies of the scene move from one pose to another. Its
// memory is reused.
type Sector struct {
	From, To []spatial.Pose // of all bodies, W
	First    int            // number of the first column among those of the whole turn
	Columns  []BeamColumn

	bodies  []movingBody
	objects []beamTarget
	frame   rays.Frame // of the column that Turn has chosen
	width   [2]float32 // full angles of a beam, rad: across and upwards
}

// movingBody is a body that beams of a sector may meet.
type movingBody struct {
	body  int
	frame rays.Frame
	still bool
}

// beamTarget is an object that beams of a sector may meet.
type beamTarget struct {
	*object
	of       int32   // index in Sector.bodies
	distance float32 // lower bound of the distance, m
	centreW  rays.Vec
}

// BeamCaster casts beams at a scene. After Start, any goroutines may use it, each with its own Sectors.
type BeamCaster struct {
	model   *BeamModel
	frames  []rays.Frame // of static bodies, by body
	centres []rays.Vec   // of static objects, W, by object
	// Width is the full angle of a beam, in rad, across and upwards. It is the footprint over which colours are
	// averaged.
	Width [2]float32
}

// NewBeamCaster returns a BeamCaster. Start must be called before the first beam.
func NewBeamCaster(m *BeamModel, width, height float64) *BeamCaster {
	return &BeamCaster{model: m, Width: [2]float32{float32(width), float32(height)}}
}

// Start sets the poses of static bodies, unless it has done so before. The argument holds the poses of all bodies.
func (b *BeamCaster) Start(posesWB []spatial.Pose) {
	if b.frames != nil {
		return
	}
	b.frames = make([]rays.Frame, len(posesWB))
	for i := range posesWB {
		b.frames[i] = rays.NewFrame(posesWB[i])
	}
	b.centres = make([]rays.Vec, len(b.model.objects))
	for i := range b.model.objects {
		o := &b.model.objects[i]
		b.centres[i] = b.frames[o.body].Place(o.centre)
	}
}

// Aim finds the objects that a sector's beams may meet up to the distance far, in m. The beams of each column have the
// directions alongS, which are unit vectors.
func (b *BeamCaster) Aim(s *Sector, alongS []mgl64.Vec3, far float64) {
	s.bodies, s.objects, s.width = s.bodies[:0], s.objects[:0], b.Width
	cone, apex := s.cone(alongS)
	last := -1 // body of the preceding object
	for i := range b.model.objects {
		o := &b.model.objects[i]
		centre, radius := rays.Vec{}, o.radius
		if b.model.static[o.body] {
			centre = b.centres[i]
		} else {
			at := o.centre.In64()
			from, to := rays.Vec64(s.From[o.body].Apply(at)), rays.Vec64(s.To[o.body].Apply(at))
			if s.From[o.body].Jumps(&s.To[o.body]) {
				from = to
			}
			centre = from.Add(to).Mul(0.5)
			radius += to.Sub(from).Len()/2 + pathMargin
		}
		to := centre.Sub(apex)
		if !cone.intersect(to, radius) {
			continue
		}
		distance := to.Len() - radius - cone.spread
		if distance > float32(far) {
			continue
		}
		if o.body != last {
			last = o.body
			m := movingBody{body: last, still: b.model.static[last] || s.From[last] == s.To[last]}
			switch {
			case b.model.static[last]:
				m.frame = b.frames[last]
			case m.still:
				m.frame = rays.NewFrame(s.To[last])
			}
			s.bodies = append(s.bodies, m)
		}
		t := beamTarget{object: o, of: int32(len(s.bodies) - 1), distance: distance}
		if s.bodies[t.of].still {
			t.centreW = s.bodies[t.of].frame.Place(o.centre)
		}
		s.objects = append(s.objects, t)
	}
	slices.SortFunc(s.objects, func(a, b beamTarget) int { return cmp.Compare(a.distance, b.distance) })
}

// pathMargin is how far the centre of an object may be from the straight line between its places at the two ends of a
// sector, m. A body that turns by 0.1 rad leaves the chord by 1.3 mm per metre of radius.
const pathMargin = 0.003

// cone returns a cone around all beams of a sector, and its apex in W.
func (s *Sector) cone(alongS []mgl64.Vec3) (c cone, apex rays.Vec) {
	c.cos = 1
	middle := &s.Columns[len(s.Columns)/2].PoseWS
	apex = rays.Vec64(middle.Pos)
	var sum rays.Vec
	for _, along := range alongS {
		sum = sum.Add(rays.Vec64(along))
	}
	axis := rays.V(1, 0, 0)
	if sum.Len() > 1e-3 {
		axis = sum.Unit()
	}
	c.axis = rays.Vec64(middle.Rotate(axis.In64()))
	// within a sector, the scanner turns one way, so that one of these columns is the farthest from the axis
	for _, i := range [...]int{0, len(s.Columns) / 2, len(s.Columns) - 1} {
		f := rays.NewFrame(s.Columns[i].PoseWS)
		c.spread = max(c.spread, f.Pos.Sub(apex).Len())
		for _, along := range alongS {
			c.cos = min(c.cos, c.axis.Dot(f.Rot.Apply(rays.Vec64(along))))
		}
	}
	// the margin covers rounding, and the width of beams
	angle := math.Min(math.Acos(float64(max(min(c.cos, 1), -1)))+float64(s.width[0]+s.width[1])+1e-3, math.Pi)
	c.cos, c.sin = float32(math.Cos(angle)), float32(math.Sin(angle))
	return c, apex
}

// Turn chooses the column of a sector from which Cast sends its beams.
func (s *Sector) Turn(column int) {
	c := &s.Columns[column]
	s.frame = rays.NewFrame(c.PoseWS)
	moved := false
	for i := range s.bodies {
		if m := &s.bodies[i]; !m.still {
			m.frame, moved = rays.NewFrame(s.From[m.body].Between(&s.To[m.body], c.Share)), true
		}
	}
	if !moved {
		return
	}
	for i := range s.objects {
		if t := &s.objects[i]; !s.bodies[t.of].still {
			t.centreW = s.bodies[t.of].frame.Place(t.centre)
		}
	}
}

// Cast sends a beam in a direction, which is a unit vector in the frame of the column that Turn has chosen.
func (b *BeamCaster) Cast(s *Sector, alongS mgl64.Vec3) Echo {
	o, d := s.frame.Pos, s.frame.Rot.Apply(rays.Vec64(alongS))
	m := rays.Intersection{T: rays.Never}
	behind, normal := b.model.shell(o, d)
	m.T = behind.Range
	met, last := int32(-1), int32(-1)
	var oB, dB, inv rays.Vec
	for k := range s.objects {
		t := &s.objects[k]
		if t.distance > m.T {
			break // all following objects are farther away, too
		}
		// The bounding sphere is tested first, because most beams miss most objects.
		to := t.centreW.Sub(o)
		along := to.Dot(d)
		if along+t.radius < nearPlane || along-t.radius > m.T || to.Dot(to)-along*along > t.radius*t.radius {
			continue
		}
		if t.of != last {
			last = t.of
			f := &s.bodies[last].frame
			oB, dB = f.Rot.Back(o.Sub(f.Pos)), f.Rot.Back(d)
			inv = rays.V(1/dB.X, 1/dB.Y, 1/dB.Z)
		}
		before := m.T
		t.solid.First(oB, dB, inv, nearPlane, &m, nil, nil)
		if m.T < before {
			met = int32(k)
		}
	}
	if met < 0 {
		if behind.Body == EchoFloor {
			fan := s.fan(d)
			x, y := fan.Steps(d, normal, m.T)
			behind.Reflectance = mean(b.model.carpet.Albedo(o.X+d.X*m.T, o.Y+d.Y*m.T, rays.NewFootprint(x, y))) * -d.Z
		}
		return behind
	}
	t := &s.objects[met]
	surface := &b.model.bodies[t.body][m.Source]
	f := &s.bodies[t.of].frame
	h, fan := hit{surface, &b.model.materials[surface.Material], f, t.body, m}, s.fan(d)
	facing := max(-f.Rot.Apply(surface.Normal(&m)).Unit().Dot(d), 0)
	return Echo{m.T, b.model.matter[surface.Material].returns(mean(h.color(d, &fan)), facing), int32(t.body),
		surface.Part}
}

// fan returns the vectors from the centre of a beam's footprint, at a distance of 1, to its edges at the side and
// above.
func (s *Sector) fan(d rays.Vec) rays.Fan {
	across := s.frame.Rot.Apply(rays.V(0, 1, 0))
	return rays.Fan{DX: across.Mul(s.width[0]), DY: d.Cross(across).Mul(s.width[1])}
}

// shell returns the echo of the floor, a wall or the ceiling, and the normal of the surface. The reflectance of the
// floor is missing.
func (m *BeamModel) shell(o, d rays.Vec) (e Echo, normal rays.Vec) {
	e = Echo{Range: float32(math.Inf(1)), Body: EchoNone}
	toWall, wall := m.room.toWall(o, d)
	if !(toWall > 0) { // the scanner is outside
		return e, normal
	}
	if m.hall {
		e, normal = Echo{Range: toWall, Reflectance: -wall.Dot(d) * m.walls, Body: EchoHall}, wall
		if up := (m.room.height - o.Z) / d.Z; d.Z > 0 && m.room.height > 0 && up < toWall {
			e, normal = Echo{Range: up, Reflectance: d.Z * m.ceiling, Body: EchoHall}, rays.V(0, 0, -1)
		}
	}
	if down := -o.Z / d.Z; d.Z < 0 && down < toWall {
		e, normal = Echo{Range: down, Body: EchoFloor}, rays.V(0, 0, 1)
	}
	return e, normal
}

// returns computes Echo.Reflectance. The matt part is Lambert's. The surface layer is that of GGX with light and view
// in the same direction: π·D·G·F / (4 cos²θ), times the cosine of incidence. Source: Walter et al., "Microfacet models
// for refraction through rough surfaces", EGSR 2007.
func (x *beamMatter) returns(color, cos float32) float32 {
	out := x.matt * color * cos
	if x.f0 == 0 || cos <= 0.1 {
		return out
	}
	c2 := cos * cos
	k := c2*(x.alpha2-1) + 1
	lit := 2 / (1 + rays.Sqrt(1+x.alpha2*(1/c2-1))) // G1
	return out + x.f0*x.alpha2/(k*k)*lit*lit/(4*cos)
}
