package scenery

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// HiddenFrom returns the parts that are not to be rendered for a camera of a robot. There are four kinds. The first is
// the part that holds the camera, whose name is own. The second are convex parts that contain the camera's viewpoint,
// such as the box of another camera in the same place. The third are parts of the robot that a convex part of it hides
// entirely. For instance, an omni camera looks down on a lid that hides most of its robot. The fourth are the parts of
// a look around a mirror camera's viewpoint: the look's own mirror and its holder, which need not fit the camera. The
// argument eyeB is the camera's viewpoint in the robot's frame, in m.
func (s *Scenery) HiddenFrom(robot int, eyeB mgl64.Vec3, own string) []render.Hidden {
	return s.hiddenFrom(s.Robot(robot), eyeB, own)
}

// mirrorReach is the distance of a corner from the viewpoint of a mirror camera, in m, below which a part of a look
// belongs to its mirror.
const mirrorReach = 0.1

// hiddenFrom is like HiddenFrom, for a camera that moves with a body: a robot, or what a joint moves.
func (s *Scenery) hiddenFrom(body int, eyeB mgl64.Vec3, own string) []render.Hidden {
	reach := 0.0
	if own == Mirror && slices.ContainsFunc(s.shaped, func(robot int) bool { return s.Robot(robot) == body }) {
		reach = mirrorReach
	}
	names := s.hidden.from(s, s.Scene.Bodies[body].Parts, vantage{eyeB: eyeB, own: own, reach: reach})
	all := make([]render.Hidden, len(names))
	for i, name := range names {
		all[i] = render.Hidden{Body: body, Part: name}
	}
	return all
}

// hiding caches which parts the cameras of robots of the same appearance cannot see.
type hiding struct {
	mu    sync.Mutex
	names map[vantage][]string
}

// mostHidden is the largest number of entries of the hiding cache.
const mostHidden = 4 * mostBuilt

// vantage is the place of a camera on robots that share their parts.
type vantage struct {
	parts *render.Part
	eyeB  mgl64.Vec3
	own   string
	reach float64 // m: parts with a corner that is nearer to the camera are not rendered
}

func (h *hiding) from(s *Scenery, parts []render.Part, at vantage) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	at.parts = unsafe.SliceData(parts)
	names, ok := h.names[at]
	if !ok {
		if h.names == nil || len(h.names) == mostHidden {
			h.names = map[vantage][]string{}
		}
		names = s.hiddenNames(parts, &at)
		h.names[at] = names
	}
	return names
}

// hiddenNames returns the names of the parts that are not to be rendered for a camera.
func (s *Scenery) hiddenNames(parts []render.Part, at *vantage) []string {
	names := []string{at.own}
	near := func(p mgl64.Vec3) bool { return p.Sub(at.eyeB).Len() < at.reach }
	// convex[i] is nil if part i is not convex
	corners, convex := make([][]mgl64.Vec3, len(parts)), make([]screen, len(parts))
	for i := range parts {
		corners[i] = s.corners(&parts[i])
		c, ok := newScreen(corners[i], s.Scene.Meshes[parts[i].Mesh].Indices)
		if ok {
			convex[i] = c
		}
		if (ok && c.holds(at.eyeB) || slices.ContainsFunc(corners[i], near)) && !slices.Contains(names, parts[i].Name) {
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
		return slices.ContainsFunc(screens, func(c screen) bool { return c.hides(corners[i], at.eyeB) })
	}
	seen := map[string]bool{} // names of which at least one part is not hidden
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

// corners returns a part's vertices in the frame of its body, in m.
func (s *Scenery) corners(p *render.Part) []mgl64.Vec3 {
	vertices := s.Scene.Meshes[p.Mesh].Vertices
	out := make([]mgl64.Vec3, len(vertices))
	for i, v := range vertices {
		out[i] = p.PoseBP.Apply(spatial.Vec64(v.Pos))
	}
	return out
}

// screen is a convex part that may hide other parts. It is stored as the half-spaces n·p ≤ d whose intersection is the
// part.
type screen []struct {
	n mgl64.Vec3
	d float64
}

// flat is the largest distance, in m, at which a point counts as lying on a plane. Meshes have only single precision.
const flat = 1e-6

// newScreen returns the screen for a mesh. The result convex is false if the mesh is not convex.
func newScreen(corners []mgl64.Vec3, indices []uint32) (c screen, convex bool) {
	for t := 0; t < len(indices); t += 3 {
		a, b, e := corners[indices[t]], corners[indices[t+1]], corners[indices[t+2]]
		n := b.Sub(a).Cross(e.Sub(a))
		if n.Len() < flat*flat {
			continue // this triangle is a sliver; its neighbours already give the bounds
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

// holds reports whether a point is inside the convex part or on its surface.
func (c screen) holds(p mgl64.Vec3) bool {
	for _, h := range c {
		if h.n.Dot(p) > h.d+flat {
			return false
		}
	}
	return true
}

// hides reports whether the screen hides all the given corners from the eye. It then also hides everything between
// these corners, because the region that a convex screen hides is convex.
func (c screen) hides(corners []mgl64.Vec3, eye mgl64.Vec3) bool {
	// the fraction of a line of sight that a screen must cover to hide the corner at its end: a screen that only
	// touches the line hides nothing
	const through = 1e-3
	for _, p := range corners {
		// first and last bound the part of the line of sight that lies in all half-spaces: 0 is its start, 1 its end.
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
