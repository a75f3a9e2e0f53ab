package scenery

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// HiddenFrom returns the parts that a camera of a robot need not draw. These are the part that holds the camera, called
// own; convex parts around the camera, such as the box of another camera in the same place; and parts of the robot that
// a convex part of it hides entirely. An omni camera, for instance, looks down on a lid that hides most of its robot.
// eyeB is the camera's viewpoint in the robot's frame.
func (s *Scenery) HiddenFrom(robot int, eyeB mgl64.Vec3, own string) []render.Hidden {
	body := s.Robot(robot)
	names := s.hidden.from(s, s.Scene.Bodies[body].Parts, eyeB, own)
	all := make([]render.Hidden, len(names))
	for i, name := range names {
		all[i] = render.Hidden{Body: body, Part: name}
	}
	return all
}

// hiding caches which parts cameras of robots that look alike do not see.
type hiding struct {
	mu    sync.Mutex
	names map[vantage][]string
}

// mostHidden is the largest number of entries of a hiding.
const mostHidden = 4 * mostBuilt

// vantage is a camera's place on robots that share their parts.
type vantage struct {
	parts *render.Part
	eyeB  mgl64.Vec3
	own   string
}

func (h *hiding) from(s *Scenery, parts []render.Part, eyeB mgl64.Vec3, own string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := vantage{unsafe.SliceData(parts), eyeB, own}
	names, ok := h.names[at]
	if !ok {
		if h.names == nil || len(h.names) == mostHidden {
			h.names = map[vantage][]string{}
		}
		names = s.hiddenNames(parts, eyeB, own)
		h.names[at] = names
	}
	return names
}

// hiddenNames returns the names of the parts that a camera need not draw.
func (s *Scenery) hiddenNames(parts []render.Part, eyeB mgl64.Vec3, own string) []string {
	names := []string{own}
	corners, convex := make([][]mgl64.Vec3, len(parts)), make([]screen, len(parts)) // nil for a part that is not convex
	for i := range parts {
		corners[i] = s.corners(&parts[i])
		c, ok := newScreen(corners[i], s.Scene.Meshes[parts[i].Mesh].Indices)
		if !ok {
			continue
		}
		convex[i] = c
		if c.holds(eyeB) && !slices.Contains(names, parts[i].Name) {
			names = append(names, parts[i].Name)
		}
	}
	var screens []screen
	for i := range parts {
		if convex[i] != nil && !slices.Contains(names, parts[i].Name) {
			screens = append(screens, convex[i])
		}
	}
	hidden := func(i int) bool {
		return slices.ContainsFunc(screens, func(c screen) bool { return c.hides(corners[i], eyeB) })
	}
	seen := map[string]bool{} // names of parts, at least one of which is not hidden
	for i := range parts {
		if !seen[parts[i].Name] && !hidden(i) {
			seen[parts[i].Name] = true
		}
	}
	for i := range parts {
		if name := parts[i].Name; !seen[name] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// corners returns a part's vertices in its body's frame.
func (s *Scenery) corners(p *render.Part) []mgl64.Vec3 {
	vertices := s.Scene.Meshes[p.Mesh].Vertices
	out := make([]mgl64.Vec3, len(vertices))
	for i, v := range vertices {
		out[i] = p.PoseBP.Apply(spatial.Vec64(v.Pos))
	}
	return out
}

// screen is a convex part, as the half-spaces whose intersection it is: n·p ≤ d.
type screen []struct {
	n mgl64.Vec3
	d float64
}

// flat is the largest distance of a point from a plane at which it counts as on it, metres. Meshes have single
// precision.
const flat = 1e-6

// newScreen returns the screen of a mesh; convex is false if the mesh is not convex.
func newScreen(corners []mgl64.Vec3, indices []uint32) (c screen, convex bool) {
	for t := 0; t < len(indices); t += 3 {
		a, b, e := corners[indices[t]], corners[indices[t+1]], corners[indices[t+2]]
		n := b.Sub(a).Cross(e.Sub(a))
		if n.Len() < flat*flat {
			continue // a sliver, which adds no bound to its neighbours'
		}
		n = n.Normalize()
		d := n.Dot(a)
		for _, p := range corners {
			if n.Dot(p) > d+flat {
				return nil, false
			}
		}
		c = append(c, struct {
			n mgl64.Vec3
			d float64
		}{n, d})
	}
	return c, len(c) > 0
}

// holds reports whether a point is inside or on the surface.
func (c screen) holds(p mgl64.Vec3) bool {
	for _, h := range c {
		if h.n.Dot(p) > h.d+flat {
			return false
		}
	}
	return true
}

// hides reports whether the screen hides all the corners from the eye. It then hides everything between them, because
// the region that a convex screen hides is convex.
func (c screen) hides(corners []mgl64.Vec3, eye mgl64.Vec3) bool {
	const through = 1e-3 // share of the line of sight; what only touches the screen is visible
	for _, p := range corners {
		// The interval of the line of sight that is in all half-spaces.
		first, last := 0.0, 1.0
		for _, h := range c {
			from, to := h.n.Dot(eye)-h.d, h.n.Dot(p)-h.d
			switch {
			case from > 0 && to > 0:
				return false
			case from > 0:
				first = max(first, from/(from-to))
			case to > 0:
				last = min(last, from/(from-to))
			}
		}
		if last-first < through {
			return false
		}
	}
	return true
}
