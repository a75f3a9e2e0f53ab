package scenery

import (
	"reflect"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// Cache is data that sceneries of similar worlds share: the parts of robots, and which of them their own cameras cannot
// see. Its contents do not change. The zero value is ready. A Cache is safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	built  []built // robots
	hidden hiding
}

// mostBuilt is the largest number of robots in a Cache. A robot takes some 100 kB, and if the robots of every world
// differ, keeping them all gains nothing.
const mostBuilt = 64

// build is everything that the shape of a robot depends on.
type build struct {
	body       physics.Body
	drive      physics.Drive
	dribbles   bool
	team       physics.Team
	digit      int
	appearance Appearance // without its skin
	coat       coat
	firstMesh  int // index of its first mesh in the scene
}

// built is a build with its parts and meshes.
type built struct {
	build
	parts  []render.Part
	meshes []render.Mesh
}

// renumbered returns the build with its meshes numbered from another index.
func (b build) renumbered(firstMesh int) build {
	b.firstMesh = firstMesh
	return b
}

// robot returns a robot that was built before, or builds it.
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
