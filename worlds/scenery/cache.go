package scenery

import (
	"reflect"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// Cache holds data that the sceneries of similar worlds share: the parts of robots, and which of these parts the
// robots' own cameras cannot see. Entries never change. The zero value is ready for use. A Cache is safe for concurrent
// use.
type Cache struct {
	mu     sync.Mutex
	built  []built // robots
	hidden hiding
}

// mostBuilt is the largest number of robots in a Cache. A robot takes about 100 kB. If every world has different
// robots, nothing is gained by keeping them all.
const mostBuilt = 64

// build holds everything that determines the shape of a robot.
type build struct {
	body       physics.Body
	drive      physics.Drive
	dribbles   bool
	team       physics.Team
	digit      int
	appearance Appearance // appearance of the robot without its skin
	coat       coat
	firstMesh  int // index, in the scene, of the robot's first mesh
}

// built is a build with the parts and meshes that were made from it.
type built struct {
	build
	parts  []render.Part
	meshes []render.Mesh
}

// renumbered returns the build with the index of its first mesh replaced; the indices of its other meshes follow.
func (b build) renumbered(firstMesh int) build {
	b.firstMesh = firstMesh
	return b
}

// robot returns a robot from the cache. If the cache does not have the robot, it builds the robot with the function
// assemble.
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
