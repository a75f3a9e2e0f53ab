package scenery

import (
	"reflect"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// Cache is what sceneries of like worlds share: how robots look, and what cameras on them cannot see of them. What it
// keeps does not change. The zero value is ready, and any goroutine may use it.
type Cache struct {
	mu     sync.Mutex
	built  []built // robots
	hidden hiding
}

// mostBuilt bounds what a Cache keeps, which is some 100 kB for a robot: where each world's robots differ, nothing is
// won by keeping them all.
const mostBuilt = 64

// build is all that the appearance of a robot depends on.
type build struct {
	body       physics.Body
	drive      physics.Drive
	dribbles   bool
	team       physics.Team
	digit      int
	appearance Appearance // without its skin
	coat       coat
	firstMesh  int // of the scene
}

// built is a build with the parts and the meshes that it has.
type built struct {
	build
	parts  []render.Part
	meshes []render.Mesh
}

// as returns the build with its meshes from another one of a scene on.
func (b build) as(firstMesh int) build {
	b.firstMesh = firstMesh
	return b
}

// robot returns how a robot looks that was built before, or builds it.
func (c *Cache) robot(as build, assemble func() ([]render.Part, []render.Mesh)) built {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.built, func(other built) bool { return reflect.DeepEqual(other.build, as) }); i >= 0 {
		return c.built[i]
	}
	if len(c.built) == mostBuilt {
		c.built = nil
	}
	parts, meshes := assemble()
	c.built = append(c.built, built{as, slices.Clip(parts), slices.Clip(meshes)})
	return c.built[len(c.built)-1]
}
