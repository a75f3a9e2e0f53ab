package sensors

import (
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// drawn holds the bodies of people, and of robots that are Shaped or have Links. Sensors that cast rays detect them as
// images show them.
type drawn struct {
	surfaces []abstraction.Surface
	bodies   []int                                                  // index in the render.Scene of each surface
	poses    func(*physics.Snapshot, []spatial.Pose) []spatial.Pose // Bodies.Poses
	posesWB  []spatial.Pose                                         // memory for its results
}

// draw finds the targets that are Drawn, and their bodies.
func (t *Targets) draw(b *Bodies) {
	if b.Poses == nil {
		return
	}
	index := map[*render.Body]int{}
	for i := range b.Scene.Bodies {
		index[&b.Scene.Bodies[i]] = i
	}
	d := &t.drawn
	d.poses = b.Poses
	add := func(target int, body *render.Body) {
		if f := t.cache.surface(b.Scene, body); f != nil {
			t.targets[target].Drawn = true
			d.surfaces = append(d.surfaces, abstraction.Surface{Form: f, Target: target})
			d.bodies = append(d.bodies, index[body])
		}
	}
	for i := range t.world.Robots {
		if links := b.Links[i]; links != nil || slices.Contains(b.Shaped, i) {
			add(1+i, b.Robots[i])
			for _, l := range links {
				add(1+i, l.Body)
			}
		}
	}
	for _, i := range b.People {
		target := 1 + len(t.world.Robots) + i
		add(target, b.Obstacles[i])
		if legs, ok := b.Legs[i]; ok {
			add(target, legs[0].Body)
			add(target, legs[1].Body)
		}
	}
}

// move sets the poses of the bodies.
func (d *drawn) move(at *physics.Snapshot) {
	if len(d.surfaces) == 0 {
		return
	}
	d.posesWB = d.poses(at, d.posesWB)
	for i := range d.surfaces {
		d.surfaces[i].PoseWB = d.posesWB[d.bodies[i]]
	}
}
