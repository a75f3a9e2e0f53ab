package render

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Scene is what a Renderer draws. It must not change while a Renderer uses it: a Batch brings the poses of its bodies,
// and another Shading.
type Scene struct {
	Meshes []Mesh
	Bodies []Body
	Floor  Floor
	Room   Room
	// Natural has renderers that draw plain light spread it as package render/light says, in scenes with a Room; others
	// have one distant lamp, and the same light from all around everywhere.
	Natural bool
	// CubeMaps tells that some images are made of cube maps (View.CubeFace), for what chooses a renderer.
	CubeMaps bool
	Shading
}

// Shading is what gives the surfaces of a Scene their colours: light, and what reflects it.
type Shading struct {
	Light     Light
	Materials []Material
	Carpet    mgl32.Vec3 // linear reflectance
}

// Vertex is one corner of a triangle, in its mesh's frame.
type Vertex struct {
	Pos    mgl32.Vec3 // metres
	Normal mgl32.Vec3 // unit length, outwards
}

// NetPlane returns where a corner of a net lies in the plane, of the mesh's three, that its normal is closest to,
// metres.
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
	Indices  []uint32 // three a triangle
	// UV is where each vertex lies in the texture of a Textured material: from the left and from the top, both 0 to 1
	// across it. nil for others.
	UV []mgl32.Vec2
}

// Pattern is how a material's two colours share a surface.
type Pattern uint8

const (
	Plain      Pattern = iota // Color alone
	SoccerBall                // black pentagons (Color2) on a ball of Color, by the direction from the mesh's origin
	Net                       // threads of Color with holes between them, in the surface's plane
	Textured                  // an image, Texture, at the places that the mesh gives
)

// Material is how a surface looks. Gloss and Shininess are for renderers that draw plain light; F0, Roughness and Metal
// for those that trace it.
type Material struct {
	Color, Color2 mgl32.Vec3 // reflectance in linear light, 0 to 1
	Gloss         float32    // share of light reflected like a mirror does, 0 to 1
	Shininess     float32    // exponent of the highlight; higher is sharper
	Pattern       Pattern
	// share of light that the surface itself reflects where it faces it, linear, 0 to 1; 0: it is matt
	F0        mgl32.Vec3
	Roughness float32  // of the surface, α of GGX, 0 to 1; 0 is as smooth as a mirror
	Metal     bool     // the light that is not reflected by the surface is lost: Color is not seen
	Texture   *Texture // of Textured ones, whose Color is its mean
}

// Part is one mesh of a body.
type Part struct {
	Mesh, Material int          // indices into the Scene
	PoseBP         spatial.Pose // of the mesh in the body's frame
	Name           string       // for View.Hidden; may be empty
}

// Body is a rigid group of parts that one pose moves.
type Body struct {
	Name   string
	Parts  []Part
	Static bool // its pose is the same in all batches
	// Cameras is where cameras are expected, for a static body: what is far from there is drawn with fewer triangles in
	// curved images. A camera elsewhere shows its long edges too straight. nil: cameras may be anywhere.
	Cameras *CameraRegion
}

// Floor is the carpet and the markings painted on it, at z = 0.
type Floor struct {
	SizeX, SizeY float64    // of the carpet, around the origin, metres
	LineColor    mgl32.Vec3 // of the markings, linear reflectance
	Marks        []spatial.Mark
	// share of the carpet's light that is lost where it is worn; plain light draws that by the grain, other light by
	// Traces
	Wear float64
	// The rest is for natural light, and light that is traced.
	// share of the light that the tips of the carpet's fibres stop which they scatter, 0 to 1; see PileScatter
	Sheen  float64
	Seams  Seams
	Traces *Traces // of use; nil: none
}

// Room is the room around the carpet: background of colour images, but not of depth images, which end with the floor.
// Without a margin there is no room, and Light.Background is what is beyond the carpet.
type Room struct {
	Margin float64 // from the carpet's edge to the walls, metres
	Height float64 // of the walls, metres
	// Floor is the linear reflectance of the bare floor beside the carpet; Wall and Ceiling are those of the walls and
	// the ceiling, for renderers that trace light.
	Floor, Wall, Ceiling mgl32.Vec3
	// Picture is shown on the walls, modulated by Light.Wall: from floor to ceiling, repeated every PictureWidth metres
	// along each wall; its sides are powers of two. nil for plain walls.
	Picture      *Image
	PictureWidth float64
}

// PointLamp lights by the inverse square of the distance. In plain light it casts no shadow.
type PointLamp struct {
	PosW  mgl32.Vec3 // metres
	Light mgl32.Vec3 // irradiance of a surface that faces it one metre away, linear
}

// Light is one distant lamp that casts shadows, light from everywhere, and perhaps lamps nearby.
type Light struct {
	Spots      []PointLamp // at most MaxSpots
	Flicker    Flicker     // of the lamps, about the light that is given here
	Shadowless bool        // the distant lamp of plain light casts no shadows
	DirectionW mgl32.Vec3  // towards the lamp, unit length
	Lamp       mgl32.Vec3  // irradiance of a surface that faces the lamp, linear
	Sky        mgl32.Vec3  // ambient light from above
	Bounce     mgl32.Vec3  // ambient light from below
	Background mgl32.Vec3  // radiance seen where there is nothing; above a hall's walls, its ceiling
	Wall       mgl32.Vec3  // radiance of a hall's walls at half their height
	// radiance of the inside of the tube that holds a mirror, and of pixels that the optics do not image
	Tube mgl32.Vec3
}
