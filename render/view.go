package render

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// ErrNoContext is in the chain of errors of a Renderer that cannot be created because the machine lacks a driver.
var ErrNoContext = errors.New("no OpenGL context")

// ErrCubeMap is in the chain of errors of renderers that make no image of a cube map.
var ErrCubeMap = errors.New("makes no image of a cube map: a camera with mirror.method = \"cube\" needs OpenGL")

// MaxCubeFace bounds View.CubeFace: a cube of so many pixels a side takes 1.3 GB.
const MaxCubeFace = 4096

// Renderer draws batches of views of one scene. Render fills the images of all views, with the faults of their Chip and
// Ranging (chip.Processor adds them to images that are drawn without), and returns when they are complete; the same
// scene and batch give the same pixels on the same driver. Close frees it; it may be called more than once.
type Renderer interface {
	Render(f *Batch) error
	Close()
}

// Unwarmed is a Renderer whose first images take no longer than others.
type Unwarmed interface{ Unwarmed() }

// Batch is any number of views of a Scene at one instant.
type Batch struct {
	PosesWB []spatial.Pose // of each Body of the Scene, in its order
	// of the Scene at that instant, which Scene.Accepts and which never changes; nil for the Scene's own
	Shading *Shading
	Views   []View
}

// View is one camera's image of a batch.
type View struct {
	// Model may be any; renderers are fastest with optics.Pinhole and optics.Hyperbolic, and some refuse those without
	// a single viewpoint (optics.NonCentral). It must not change: what is computed for it is kept.
	Model  optics.Model
	PoseWC spatial.Pose // of the optical frame
	Color  *Image       // filled when not nil; its size must be the model's
	Depth  *Depth       // filled when not nil; pinhole models only
	// Truth is filled when not nil, by renderers that can; its size must be the model's. Its Flow is since Before.
	Truth  *Truth
	Before *Before
	// Radiance is filled when not nil, by renderers that trace light; its size must be the model's.
	Radiance *Radiance
	// Hidden parts are left out: the mirror that the camera itself looks into.
	Hidden []Hidden
	// CubeFace is the side, pixels, 1 to MaxCubeFace, of the faces of a cube map that the colour image is made of, of a
	// Model that is no pinhole; 0 draws it directly. All renderers but render/internal/gl's refuse it with ErrCubeMap.
	CubeFace int
	// Vignetting is the share, 0 to 1, of natural vignetting: cos⁴ of the angle to the real camera's axis.
	Vignetting float64
	// Chip gives Color the faults of a lens and a chip, Ranging gives Depth those of its measurement, as package
	// render/chip says and does; nil gives none. The noise of an image is a function of NoiseKey and the pixel alone.
	Chip     *Chip
	Ranging  *Ranging
	NoiseKey uint64
}

// Hidden names a part of a body.
type Hidden struct {
	Body int
	Part string
}

// Image is a colour image: sRGB, 8 bits a channel, red first, rows from the top, without padding.
type Image struct {
	Width, Height int
	Pix           []byte // Height × Width × 3
	// Above is what lamps, windows and other surroundings are brighter than white, which Pix cannot show: by cells of
	// CellSize × CellSize pixels, those at the right and the lower border smaller, row by row, red first, the mean over
	// a cell of the linear light beyond 1. Bodies are never brighter. It is filled in when not nil (KeepAbove), and a
	// Chip gives it to the cell's white pixels, in equal parts. Images by way of a cube map have none.
	Above []float32
}

// CellSize is the side of a cell of Image.Above, pixels.
const CellSize = 16

// Cells returns how many cells of CellSize × CellSize pixels there are in a row and in a column of an image.
func Cells(width, height int) (cols, rows int) {
	return (width + CellSize - 1) / CellSize, (height + CellSize - 1) / CellSize
}

// KeepAbove has Above be filled in from now on.
func (im *Image) KeepAbove() {
	cols, rows := Cells(im.Width, im.Height)
	im.Above = make([]float32, 3*cols*rows)
}

// NewImage returns a black image.
func NewImage(width, height int) *Image {
	return &Image{Width: width, Height: height, Pix: make([]byte, 3*width*height)}
}

// Depth holds the Z distance of every pixel along the optical axis, in metres, rows from the top; +Inf where there is
// nothing, and what a Ranging says where nothing is measured.
type Depth struct {
	Width, Height int
	Z             []float32 // Height × Width
}

// NewDepth returns a depth image of zeros.
func NewDepth(width, height int) *Depth {
	return &Depth{Width: width, Height: height, Z: make([]float32, width*height)}
}

// Millimetres returns a depth in whole millimetres, 0 where nothing was measured or it is too far for 16 bits.
func Millimetres(z float32) uint16 {
	if mm := z*1000 + 0.5; mm >= 1 && mm < 65536 {
		return uint16(mm)
	}
	return 0
}
