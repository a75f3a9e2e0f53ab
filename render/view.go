package render

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// ErrNoContext is in the chain of a Renderer's creation error if the machine lacks a driver.
var ErrNoContext = errors.New("no OpenGL context")

// ErrCubeMap is in the chain of errors of renderers that cannot draw through a cube map.
var ErrCubeMap = errors.New("cannot draw through a cube map: a camera with mirror.method = \"cube\" needs OpenGL")

// MaxCubeFace is the largest View.CubeFace, pixels: a cube map with faces of this size takes 1.3 GB.
const MaxCubeFace = 4096

// Renderer renders batches of views of one scene. Render fills the images of all views, applies their Chip and Ranging,
// and returns when they are complete. (For images drawn without faults, use chip.Processor.) The same scene and batch
// give the same pixels on the same driver. Close frees the renderer; it may be called more than once.
type Renderer interface {
	Render(f *Batch) error
	Close()
}

// Unwarmed marks a Renderer that needs no warming up: its first images take no longer than later images.
type Unwarmed interface{ Unwarmed() }

// Batch is any number of views of a Scene at one instant.
type Batch struct {
	PosesWB []spatial.Pose // of each Body of the Scene, in its order
	// at that instant; it must pass Scene.Accepts and be immutable; nil for the Scene's own
	Shading *Shading
	Views   []View
}

// View describes one camera's image of a batch.
type View struct {
	// Model may be any model. Renderers are fastest with optics.Pinhole and optics.Hyperbolic, and some refuse models
	// without a single viewpoint (optics.NonCentral). It must be immutable, since renderers cache what they compute
	// from it.
	Model  optics.Model
	PoseWC spatial.Pose // of the optical frame
	Color  *Image       // filled if not nil; its size must be the model's
	Depth  *Depth       // filled if not nil; pinhole models only
	// Truth is filled if not nil, by renderers that support it; its size must be the model's. Its Flow refers to
	// Before.
	Truth  *Truth
	Before *Before
	// Radiance is filled if not nil, by renderers that trace light; its size must be the model's.
	Radiance *Radiance
	// Hidden lists parts that are not drawn: the mirror that the camera itself looks into.
	Hidden []Hidden
	// CubeFace is the side, pixels, 1 to MaxCubeFace, of the faces of a cube map from which the colour image is made.
	// Model must not be a pinhole. 0 draws the image directly. All renderers except OpenGL refuse it with ErrCubeMap.
	CubeFace int
	// Vignetting is the amount, 0 to 1, of natural vignetting: cos⁴ of the angle to the real camera's axis.
	Vignetting float64
	// Chip applies the faults of lens and sensor to Color, and Ranging those of the measurement to Depth, as package
	// render/chip describes; nil applies none. The noise of an image is a function of NoiseKey and the pixel alone.
	Chip     *Chip
	Ranging  *Ranging
	NoiseKey uint64
}

// Hidden names a part of a body.
type Hidden struct {
	Body int
	Part string
}

// Image is a colour image: sRGB, 8 bits per channel, red first, rows from the top, without padding.
type Image struct {
	Width, Height int
	Pix           []byte // Height × Width × 3
	// Above is the light of lamps, windows and other surroundings above white, which Pix cannot show. It has one value
	// per colour for each cell of CellSize × CellSize pixels (smaller at the right and lower border), row by row, red
	// first: the mean over the cell of the linear light beyond 1. Bodies are never brighter than white. Renderers fill
	// it if not nil (see KeepAbove). A Chip divides it equally among the cell's white pixels. Images through a cube map
	// have none.
	Above []float32
}

// CellSize is the side of a cell of Image.Above, pixels.
const CellSize = 16

// Cells returns how many cells of CellSize × CellSize pixels there are in a row and in a column of an image.
func Cells(width, height int) (cols, rows int) {
	return (width + CellSize - 1) / CellSize, (height + CellSize - 1) / CellSize
}

// KeepAbove allocates Above, so that renderers fill it.
func (im *Image) KeepAbove() {
	cols, rows := Cells(im.Width, im.Height)
	im.Above = make([]float32, 3*cols*rows)
}

// NewImage returns a black image.
func NewImage(width, height int) *Image {
	return &Image{Width: width, Height: height, Pix: make([]byte, 3*width*height)}
}

// Depth holds the Z distance of every pixel along the optical axis, in metres, rows from the top. It is +Inf where
// there is nothing; with a Ranging, the Ranging says what unmeasured pixels hold.
type Depth struct {
	Width, Height int
	Z             []float32 // Height × Width
}

// NewDepth returns a depth image of zeros.
func NewDepth(width, height int) *Depth {
	return &Depth{Width: width, Height: height, Z: make([]float32, width*height)}
}

// Millimetres returns a depth in whole millimetres; 0 if nothing was measured or the depth exceeds 16 bits.
func Millimetres(z float32) uint16 {
	if mm := z*1000 + 0.5; mm >= 1 && mm < 65536 {
		return uint16(mm)
	}
	return 0
}
