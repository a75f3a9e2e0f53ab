package scenery

import (
	"reflect"
	"slices"
	"sync"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// paint is the index of a material in the palette.
type paint int

const (
	black paint = iota
	graphite
	rubber
	aluminium
	white
	cyan
	magenta
	glass
	chrome
	net
	board
	boardDark
	leather
	red
)

// plastic is the fraction of light that a surface of plastic, paint, rubber or leather reflects specularly. It is ((n −
// 1)/(n + 1))² for the refractive index n = 1.5.
var plastic = mgl32.Vec3{0.04, 0.04, 0.04}

// palette returns the materials, with reflectances in linear light. Reflectances and roughnesses are guesses from
// photographs of matches. Those of metals are from S. Lagarde, "Feeding a physically based shading model", 2011, which
// uses measured refractive indices. docs/cameras.md compares them with published values.
func palette() []render.Material {
	c := func(r, g, b float32) mgl32.Vec3 { return mgl32.Vec3{r, g, b} }
	return []render.Material{
		black:    {Color: c(0.024, 0.024, 0.026), Gloss: 0.02, Shininess: 24, F0: plastic, Roughness: 0.25},
		graphite: {Color: c(0.075, 0.078, 0.085), Gloss: 0.03, Shininess: 30, F0: plastic, Roughness: 0.2},
		rubber:   {Color: c(0.03, 0.03, 0.03), Gloss: 0.02, Shininess: 8, F0: plastic, Roughness: 0.5},
		aluminium: {Color: c(0.50, 0.51, 0.53), Gloss: 0.22, Shininess: 40, F0: c(0.91, 0.92, 0.92), Roughness: 0.3,
			Metal: true},
		white:     {Color: c(0.82, 0.82, 0.80), Gloss: 0.03, Shininess: 20, F0: plastic, Roughness: 0.2},
		cyan:      {Color: c(0.01, 0.50, 0.72), Gloss: 0.02, Shininess: 12, F0: plastic, Roughness: 0.35},
		magenta:   {Color: c(0.70, 0.015, 0.30), Gloss: 0.02, Shininess: 12, F0: plastic, Roughness: 0.35},
		glass:     {Color: c(0.008, 0.008, 0.015), Gloss: 0.08, Shininess: 120, F0: plastic, Roughness: 0.02},
		chrome:    {Color: c(0.55, 0.56, 0.58), Gloss: 0.85, Shininess: 150, F0: c(0.549, 0.556, 0.554), Metal: true},
		net:       {Color: c(0.80, 0.80, 0.80), Pattern: render.Net},
		board:     {Color: c(0.20, 0.21, 0.23), Gloss: 0.02, Shininess: 16, F0: plastic, Roughness: 0.35},
		boardDark: {Color: c(0.085, 0.09, 0.11), Gloss: 0.02, Shininess: 16, F0: plastic, Roughness: 0.35},
		red:       {Color: c(0.55, 0.02, 0.015), Gloss: 0.05, Shininess: 40, F0: plastic, Roughness: 0.15},
		leather: {Color: c(0.86, 0.50, 0.015), Color2: c(0.015, 0.015, 0.017), Gloss: 0.05, Shininess: 30,
			Pattern: render.SoccerBall, F0: plastic, Roughness: 0.3},
	}
}

// builder builds a scene.
type builder struct {
	scene  *render.Scene
	body   *render.Body               // body to which parts are added
	built  []built                    // robots built for this scene
	shared map[teamLink][]render.Part // of links
	cache  *Cache
}

func newBuilder(cache *Cache) *builder {
	return &builder{scene: &render.Scene{Room: hall(), Shading: render.Shading{Light: render.DefaultLighting().Light(),
		Materials: palette()}}, cache: cache}
}

// hall returns the room of a common exhibition hall. Its dimensions and colours are guesses.
func hall() render.Room {
	return render.Room{
		Margin: 6, Height: physics.HallHeight,
		Floor:   mgl32.Vec3{0.17, 0.16, 0.15},
		Wall:    mgl32.Vec3{0.36, 0.35, 0.33}, // grey paint
		Ceiling: mgl32.Vec3{0.65, 0.65, 0.64}, // white panels
	}
}

func (b *builder) startBody(name string) {
	b.scene.Bodies = append(b.scene.Bodies, render.Body{Name: name})
	b.body = &b.scene.Bodies[len(b.scene.Bodies)-1]
}

func (b *builder) add(name string, m render.Mesh, p paint, poseBP spatial.Pose) {
	b.scene.Meshes = append(b.scene.Meshes, m)
	b.body.Parts = append(b.body.Parts, render.Part{Mesh: len(b.scene.Meshes) - 1, Material: int(p), PoseBP: poseBP,
		Name: name})
}

// material returns the paint for a material. It adds the material to the scene if the scene does not have it yet, so
// materials that are not used cost nothing.
func (b *builder) material(m render.Material) paint {
	i := slices.Index(b.scene.Materials, m)
	if i < 0 {
		i = len(b.scene.Materials)
		b.scene.Materials = append(b.scene.Materials, m)
	}
	return paint(i)
}

// painted returns the paint for a matt or plastic surface with the colour c. If c is not a colour, it returns the paint
// other.
func (b *builder) painted(c render.Color, other paint) paint {
	linear, err := c.Linear()
	if err != nil {
		return other
	}
	return b.material(render.Material{Color: linear, Gloss: 0.03, Shininess: 20, F0: plastic, Roughness: 0.3})
}

func translation(x, y, z float64) spatial.Pose { return spatial.Translation(mgl64.Vec3{x, y, z}) }

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
	paints     []paint // of the materials of appearance.Shapes, or of the look
	firstMesh  int     // index, in the scene, of the robot's first mesh
}

// built is a build with the parts and meshes that were made from it.
type built struct {
	build
	parts  []render.Part
	meshes []render.Mesh
}

// renumbered returns the build with another index of its first mesh. The indices of its other meshes follow from that.
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
