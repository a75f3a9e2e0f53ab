package viewer

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Body is one that the mouse can take hold of.
type Body struct {
	Name string
	PosW mgl64.Vec3 // of its frame: on the floor under a robot or an obstacle, the ball's centre
	// Cast returns how far a ray goes, metres, from a point of W along a unit vector, to the body; +Inf if it misses
	// it.
	Cast func(fromW, alongW mgl64.Vec3) float64
}

// Drag is what the mouse does with a body.
type Drag struct {
	Body  string
	Other bool // with Shift: kicks the ball, turns others
	// where the body's frame is to be; with Other, where the mouse points, at the height at which the body was taken
	// hold of
	ToW mgl64.Vec3
}

const (
	// dragPixels is how far a mouse moves before it drags.
	dragPixels = 4
	// nearPixels is how far beside a body a mouse may be that takes hold of it: from above, the ball is ten pixels
	// wide. A guess.
	nearPixels = 7
)

// hand is the mouse, with a body in it.
type hand struct {
	Drag
	pressX, pressY float64
	x, y           float64    // of the mouse, pixels of the window
	planeZ         float64    // height of the plane over which it is dragged, m
	offset         mgl64.Vec3 // from where the mouse points to the body's frame
	begun          bool
}

// Show tells the viewer what the window shows now, so that the mouse can take hold of it. The bodies must stay as they
// are until the next call.
func (v *Viewer) Show(sight Sight, bodies []Body) {
	v.sight, v.bodies = sight, bodies
	if v.hand != nil {
		v.hand.point(&v.sight)
	}
}

// Dragging returns what the mouse drags at present.
func (v *Viewer) Dragging() (Drag, bool) {
	if v.hand == nil || !v.hand.begun {
		return Drag{}, false
	}
	return v.hand.Drag, true
}

// TakeDrop returns what the mouse has dragged and let go of since the last call.
func (v *Viewer) TakeDrop() (Drag, bool) {
	d := v.drop
	v.drop = Drag{}
	return d, d.Body != ""
}

// take has the mouse take hold of the body under it.
func (v *Viewer) take(e Event) {
	v.hand = nil
	body, at, ok := v.pick(e.X, e.Y)
	if !ok {
		return
	}
	h := &hand{Drag: Drag{Body: body.Name, Other: e.Shift}, pressX: e.X, pressY: e.Y, x: e.X, y: e.Y}
	// The point that was taken hold of stays under the mouse. From a camera that is hardly higher, that plane is seen
	// from its edge: a lower one does.
	h.planeZ = max(0, min(at[2], v.sight.PoseWC.Pos[2]/2))
	h.ToW = body.PosW
	if p, ok := v.sight.plane(e.X, e.Y, h.planeZ); ok && !e.Shift {
		h.offset = body.PosW.Sub(p)
	}
	v.hand = h
}

// move drags.
func (v *Viewer) move(e Event) {
	h := v.hand
	h.x, h.y = e.AtX, e.AtY
	h.begun = h.begun || math.Hypot(h.x-h.pressX, h.y-h.pressY) > dragPixels
	h.point(&v.sight)
}

// lift lets go of a body.
func (v *Viewer) lift() {
	if v.hand != nil && v.hand.begun {
		v.drop = v.hand.Drag
	}
	v.hand = nil
}

// point finds where the mouse points, if that is anywhere: else it is where it was.
func (h *hand) point(s *Sight) {
	if p, ok := s.plane(h.x, h.y, h.planeZ); ok && h.begun {
		h.ToW = p.Add(h.offset)
	}
}

// plane returns where a position in the window meets a horizontal plane, W.
func (s *Sight) plane(x, y, z float64) (posW mgl64.Vec3, ok bool) {
	from, along, ok := s.Ray(x, y)
	t := (z - from[2]) / along[2]
	if !ok || !(t > 0) || math.IsInf(t, 0) {
		return mgl64.Vec3{}, false
	}
	posW = from.Add(along.Mul(t))
	posW[2] = z
	return posW, true
}

// pick returns the body under a position in the window, and the point of it that is seen there; else the nearest that
// is a few pixels beside.
func (v *Viewer) pick(x, y float64) (body *Body, atW mgl64.Vec3, ok bool) {
	from, along, ok := v.sight.Ray(x, y)
	if !ok {
		return nil, atW, false
	}
	nearest := math.Inf(1)
	for i := range v.bodies {
		if d := v.bodies[i].Cast(from, along); d < nearest {
			nearest, body = d, &v.bodies[i]
		}
	}
	if body != nil {
		return body, from.Add(along.Mul(nearest)), true
	}
	nearest = nearPixels
	for i := range v.bodies {
		b := &v.bodies[i]
		bx, by, ok := v.sight.Project(b.PosW)
		if d := math.Hypot(bx-x, by-y); ok && d <= nearest {
			nearest, body, atW = d, b, b.PosW
		}
	}
	return body, atW, body != nil
}
