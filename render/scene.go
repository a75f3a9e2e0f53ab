package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Scene is the input of a Renderer. It must not change while a Renderer uses it. A Batch supplies the poses of its
// bodies, and may replace its Shading.
type Scene struct {
	Meshes []Mesh
	Bodies []Body
	Floor  Floor
	Room   Room
	// Natural asks renderers of plain light to compute the light as package render/light does, if the scene has a Room.
	// Otherwise these renderers use one distant lamp, and the same ambient light everywhere.
	Natural bool
	// CubeMaps is true if some images are made from cube maps (View.CubeFace). It affects the choice of a renderer.
	CubeMaps bool
	Shading
}

// Shading determines the colours of a Scene's surfaces: the light, and how materials reflect it.
type Shading struct {
	Light     Light
	Materials []Material
	Carpet    mgl32.Vec3 // linear reflectance, by which the Floor's Image is multiplied
}

// Vertex is one corner of a triangle, in its mesh's frame.
type Vertex struct {
	Pos    mgl32.Vec3 // metres
	Normal mgl32.Vec3 // unit length, outwards
}

// NetPlane returns the position of a net's vertex in the plane of the net, metres. It projects the vertex onto a
// coordinate plane of the mesh: the plane that is most nearly perpendicular to the vertex's normal.
func (v *Vertex) NetPlane() mgl32.Vec2 {
	p, n := v.Pos, v.Normal
	x, y, z := mgl32.Abs(n[0]), mgl32.Abs(n[1]), mgl32.Abs(n[2])
	switch {
	case x >= y && x >= z:
		return mgl32.Vec2{p[1], p[2]}
	case y >= z:
		return mgl32.Vec2{p[0], p[2]}
	}
	return mgl32.Vec2{p[0], p[1]}
}

// Mesh is a closed surface of triangles, anticlockwise when seen from outside.
type Mesh struct {
	Vertices []Vertex
	Indices  []uint32 // three per triangle
	// UV is the position of each vertex in the texture of a Textured material: from the left and from the top, 0 to 1.
	// It is nil for other materials.
	UV []mgl32.Vec2
	// Colors is the reflectance of each vertex, linear, 0 to 1, for a VertexColors material. nil for other materials.
	Colors []mgl32.Vec3
}

// Pattern determines how a material's two colours are distributed over a surface.
type Pattern uint8

const (
	Plain        Pattern = iota // Color only
	SoccerBall                  // black pentagons (Color2) on a ball of Color, by the direction from the mesh's origin
	Net                         // threads of Color with holes between them, in the surface's plane
	Textured                    // an image, Texture, placed by the mesh's UV, times Color2
	VertexColors                // the mesh's Colors, between them interpolated
)

// Material describes the appearance of a surface. Renderers of plain light use Gloss and Shininess; renderers of
// natural or traced light use F0, Roughness and Metal.
type Material struct {
	Color, Color2 mgl32.Vec3 // reflectance in linear light, 0 to 1
	Gloss         float32    // fraction of light that is reflected as in a mirror, 0 to 1
	Shininess     float32    // exponent of the highlight; a larger exponent is a sharper highlight
	Pattern       Pattern
	// reflectance of the surface layer at normal incidence, linear, 0 to 1; 0 for a matt surface
	F0        mgl32.Vec3
	Roughness float32 // α of GGX, 0 to 1; 0 is as smooth as a mirror
	Metal     bool    // light that the surface layer does not reflect is absorbed: Color has no effect
	// Texture is of Textured materials. Color, of these and of VertexColors materials, is the mean colour.
	Texture *Texture
}

// Reflectance returns the fraction of infrared light that a material scatters in all directions: Infrared of its mean
// colour, without what the surface layer reflects as a mirror does. It is 0 for metals.
func (m *Material) Reflectance() float32 {
	if m.Metal {
		return 0
	}
	return Infrared(m.Color) * (1 - m.Gloss)
}

// Infrared returns the reflectance in infrared light that is assumed for a colour, which says nothing about it: the
// mean of the channels.
func Infrared(color mgl32.Vec3) float32 { return (color[0] + color[1] + color[2]) / 3 }

// Part is one mesh of a body.
type Part struct {
	Mesh, Material int          // indices into the Scene
	PoseBP         spatial.Pose // pose of the mesh in the body's frame
	Name           string       // name of the part, for View.Hidden; may be empty
}

// Body is a rigid group of parts that moves with one pose.
type Body struct {
	Name   string
	Parts  []Part
	Static bool // the body has the same pose in all batches
	// Overhead is true if the body is so close to the lamps in the ceiling that natural light needs no shadow of it on
	// the floor.
	Overhead bool
	// Cameras is the region where cameras are expected, for a static body. Parts far from that region have fewer
	// triangles in curved images. A camera outside of the region would show their long edges too straight. If Cameras
	// is nil, cameras may be anywhere.
	Cameras *CameraRegion
}

// Floor is the carpet and the markings painted on it, at z = 0.
type Floor struct {
	SizeX, SizeY float64 // size of the carpet, which is around the origin, metres
	Pattern      FloorPattern
	Image        *FloorImage // nil for none
	LineColor    mgl32.Vec3  // linear reflectance of the markings
	Marks        []spatial.Mark
	// fraction of the light that worn carpet loses. In plain light, the grain determines where the carpet is worn. In
	// natural and traced light, Traces do.
	Wear float64
	// Sheen and Traces apply to natural and traced light. Sheen is the fraction, 0 to 1, that the tips of the carpet's
	// fibres scatter of the light that they intercept. See PileScatter.
	Sheen float64
	Seams Seams
	// Texture is the additional contrast of a carpet's grain, as a share of that of a new carpet, up to 3.
	Texture float64
	Traces  *Traces // traces of use; nil: none
}

// PointLamp is a lamp whose light decreases with the square of the distance. In plain light it casts no shadow.
type PointLamp struct {
	PosW  mgl32.Vec3 // metres
	Light mgl32.Vec3 // irradiance of a surface that faces the lamp at a distance of one metre, linear
}

// Light consists of one distant lamp that casts shadows, ambient light, and optional nearby lamps.
type Light struct {
	Spots      []PointLamp // at most MaxSpots
	Flicker    Flicker     // flicker of the lamps; their mean light is the light given here
	Shadowless bool        // if true, the distant lamp of plain light casts no shadows
	DirectionW mgl32.Vec3  // direction towards the distant lamp, unit length
	Lamp       mgl32.Vec3  // irradiance of a surface that faces the distant lamp, linear
	Sky        mgl32.Vec3  // ambient light from above
	Bounce     mgl32.Vec3  // ambient light from below
	Background mgl32.Vec3  // radiance along rays that meet nothing; above the walls of a hall, radiance of the ceiling
	Wall       mgl32.Vec3  // radiance of the walls of a hall at half their height
	// radiance of the inside of the tube that holds a mirror, and of pixels that the optics do not image
	Tube mgl32.Vec3
}

// Group is a body with its own meshes and materials. It can be added to a Scene.
type Group struct {
	Meshes    []Mesh
	Materials []Material
	Parts     []Part // parts of the body; their indices refer to the Group's Meshes and Materials
}

// Add adds the body of a Group to the scene and returns its index.
func (s *Scene) Add(name string, g *Group) int {
	meshes, materials := len(s.Meshes), len(s.Materials)
	s.Meshes, s.Materials = append(s.Meshes, g.Meshes...), append(s.Materials, g.Materials...)
	b := Body{Name: name}
	for _, p := range g.Parts {
		p.Mesh, p.Material = p.Mesh+meshes, p.Material+materials
		b.Parts = append(b.Parts, p)
	}
	s.Bodies = append(s.Bodies, b)
	return len(s.Bodies) - 1
}

// CameraRegion is a cuboid that contains all expected cameras. Its sides are parallel to the world's axes. It also
// holds the pose of a static body, to measure distances from points of that body.
type CameraRegion struct {
	rotWB  mgl64.Mat3
	posWB  mgl64.Vec3
	lo, hi mgl64.Vec3 // corners, metres, W
	// Nearest is the least distance of the cameras from every point of the body, metres. It bounds the number of
	// triangles of bodies with large surfaces; images of nearer cameras show their long edges too straight.
	Nearest float64
}

// NewCameraRegion returns the region between the corners lo and hi, for a body at a pose. The corners are in W, in
// metres.
func NewCameraRegion(poseWB spatial.Pose, lo, hi mgl64.Vec3) *CameraRegion {
	return &CameraRegion{rotWB: poseWB.Rot.Mat4().Mat3(), posWB: poseWB.Pos, lo: lo, hi: hi}
}

// Distance returns the distance in metres from a point of the body to the region. Expected cameras are at least this
// far from the point.
func (e *CameraRegion) Distance(pB mgl32.Vec3) float64 {
	x, y, z := float64(pB[0]), float64(pB[1]), float64(pB[2])
	square := 0.0
	for i := range e.posWB {
		p := e.rotWB[i]*x + e.rotWB[3+i]*y + e.rotWB[6+i]*z + e.posWB[i]
		if d := max(e.lo[i]-p, p-e.hi[i]); d > 0 {
			square += d * d
		}
	}
	return max(math.Sqrt(square), e.Nearest)
}
