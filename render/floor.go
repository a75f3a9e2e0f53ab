package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// FloorPattern is the material of a floor. It determines the grain of the floor.
type FloorPattern string

const (
	Carpet     FloorPattern = "carpet"
	Concrete   FloorPattern = "concrete"
	Tiles      FloorPattern = "tiles"  // with a side of 41 cm
	Planks     FloorPattern = "planks" // 10 cm wide, along x
	PlainFloor FloorPattern = "plain"  // one colour
)

// FloorImage is an image on the floor, which repeats in both directions. The Shading's Carpet is multiplied by it.
type FloorImage struct {
	*Texture
	X, Y         float64 // lower left corner, m
	SizeX, SizeY float64 // width along x and height along y, m
}

// Place returns the scale and the offset from a place on the floor, m, to the place in the texture: from the left, and
// from the top.
func (f *FloorImage) Place() (scale, offset mgl32.Vec2) {
	return mgl32.Vec2{float32(1 / f.SizeX), float32(-1 / f.SizeY)},
		mgl32.Vec2{float32(-f.X / f.SizeX), float32(1 + f.Y/f.SizeY)}
}

// Reflectance returns the mean reflectance of the floor whose Shading has the given Carpet.
func (f *Floor) Reflectance(carpet mgl32.Vec3) mgl32.Vec3 {
	if f.Image != nil {
		for i := range carpet {
			carpet[i] *= f.Image.Mean[i]
		}
	}
	return carpet
}

// The widths of tiles and planks in texels of the grain, and of the joints between them. A texel is 6.4 mm wide.
const (
	tileTexels  = GrainSize / 4
	plankTexels = GrainSize / 16
	tileJoint   = 2
	plankJoint  = 1
)

// Grain returns the grain of the floor, row by row: a grey pattern that repeats seamlessly. A carpet, which has the
// empty pattern too, has a mean of about one half.
func (f *Floor) Grain() []uint8 {
	at := map[FloorPattern]func(x, y int) float64{
		Concrete: concreteGrain, Tiles: tileGrain, Planks: plankGrain,
		PlainFloor: func(int, int) float64 { return 0.5 },
	}[f.Pattern]
	if at == nil {
		grain := Grain()
		for i, g := range grain {
			grain[i] = uint8(max(0, min(255, math.Round(127.5+(1+f.Texture)*(float64(g)-127.5)))))
		}
		return grain
	}
	out := make([]uint8, GrainSize*GrainSize)
	for i := range out {
		out[i] = uint8(255 * at(i%GrainSize, i/GrainSize))
	}
	return out
}

// concreteGrain has clouds and pores.
func concreteGrain(x, y int) float64 {
	v := 0.35*valueNoise(x, y, 4) + 0.3*valueNoise(x, y, 16) + 0.2*valueNoise(x, y, 64) + 0.15*valueNoise(x, y, 256)
	if lattice(uint32(x), uint32(y), 7) > 0.997 {
		v *= 0.3
	}
	return v
}

// tileGrain has tiles of slightly different shades, with dark joints.
func tileGrain(x, y int) float64 {
	if x%tileTexels < tileJoint || y%tileTexels < tileJoint {
		return 0
	}
	return 0.55 + 0.25*lattice(uint32(x/tileTexels), uint32(y/tileTexels), 11) + 0.1*valueNoise(x, y, 64)
}

// plankGrain has rows of planks, each with its own shade and with fibres along x. Every row has one joint across.
func plankGrain(x, y int) float64 {
	row := uint32(y / plankTexels)
	joint := int(GrainSize * lattice(row, 0, 13))
	if y%plankTexels < plankJoint || x == joint {
		return 0
	}
	fibre := valueNoise(x/8, y, GrainSize) // eight times longer than wide
	return math.Min(0.35+0.35*lattice(row, 1, 13)+0.25*fibre, 1)
}
