package render

import (
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// ErrNoContext is wrapped by the error of a Renderer's constructor if the machine lacks a driver.
var ErrNoContext = errors.New("no OpenGL context")

// ErrCubeMap is wrapped by the errors of renderers that cannot draw through a cube map.
var ErrCubeMap = errors.New("cannot draw through a cube map: a camera with mirror.method = \"cube\" needs OpenGL")

// MaxCubeFace is the largest View.CubeFace, pixels: a cube map with faces of this size takes 1.3 GB.
const MaxCubeFace = 4096

// Renderer renders batches of views of one scene. Render fills the images of all views, applies their Chip and Ranging,
// and returns when the images are complete. (Use chip.Processor to apply faults to images that were drawn without
// them.) The same scene and batch give the same pixels on the same driver. Close frees the renderer. It may be called
// more than once.
type Renderer interface {
	Render(f *Batch) error
	Close()
}

// Unwarmed marks a Renderer that needs no warming up: its first images take no longer than later images.
type Unwarmed interface{ Unwarmed() }

// Batch is any number of views of a Scene at one instant.
type Batch struct {
	// pose of each Body of the Scene, in the Scene's order; a body with the pose of spatial.Absent is not drawn
	PosesWB []spatial.Pose
	// shading at that instant, which must pass Scene.Accepts and be immutable; nil for the Scene's own
	Shading *Shading
	Views   []View
}

// View describes one camera's image of a batch.
type View struct {
	// Model may be any model. Renderers are fastest with optics.Pinhole and optics.Hyperbolic. Some renderers refuse
	// models without a single viewpoint (optics.NonCentral). The Model must be immutable, because renderers cache
	// results that depend on it.
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
	// Hidden lists parts that are not drawn, such as the mirror into which the camera itself looks.
	Hidden []Hidden
	// CubeFace is the side, 1 to MaxCubeFace pixels, of the faces of a cube map from which the colour image is made.
	// Model must then not be a pinhole. If CubeFace is 0, the image is drawn directly. All renderers except OpenGL
	// refuse other values with ErrCubeMap.
	CubeFace int
	// Vignetting is the amount, 0 to 1, of natural vignetting: cos⁴ of the angle to the real camera's axis.
	Vignetting float64
	// Chip applies the faults of lens and sensor to Color. Ranging applies the faults of the measurement to Depth.
	// Package render/chip describes both. If they are nil, no faults are applied. The noise of an image depends only on
	// NoiseKey and the pixel.
	Chip     *Chip
	Ranging  *Ranging
	NoiseKey uint64
}

// Hidden names a part of a body.
type Hidden struct {
	Body int
	Part string
}

// Image is a colour image in sRGB with 8 bits per channel, red first. Rows are from the top, without padding.
type Image struct {
	Width, Height int
	Pix           []byte // Height × Width × 3
	// Above is light beyond white, which Pix cannot show: that of lamps, windows and other surroundings. Bodies are
	// never brighter than white. Above has one value per colour for each cell of CellSize × CellSize pixels, row by
	// row, red first. Cells at the right and lower border are smaller. The value is the mean over the cell of the
	// linear light beyond 1. Renderers fill Above if it is not nil (see KeepAbove). A Chip divides the light of a cell
	// equally among the cell's white pixels. Images through a cube map do not support Above.
	Above []float32
}

// CellSize is the side of a cell of Image.Above, pixels.
const CellSize = 16

// Cells returns the number of cells of CellSize × CellSize pixels in a row and in a column of an image.
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
// there is nothing. If a Ranging was applied, see Ranging for the values of unmeasured pixels.
type Depth struct {
	Width, Height int
	Z             []float32 // Height × Width
	// Reflectance is the Material.Reflectance of the surface that each pixel shows, Height × Width, and the mean
	// reflectance of floor and walls. It is 0 where there is nothing. Renderers that support it fill it if it is not
	// nil.
	Reflectance []float32
}

// NewDepth returns a depth image of zeros.
func NewDepth(width, height int) *Depth {
	return &Depth{Width: width, Height: height, Z: make([]float32, width*height)}
}

// KeepReflectance allocates Reflectance, so that renderers fill it.
func (d *Depth) KeepReflectance() { d.Reflectance = make([]float32, d.Width*d.Height) }

// Millimetres returns a depth in whole millimetres. It returns 0 if nothing was measured, or if the result exceeds 16
// bits.
func Millimetres(z float32) uint16 {
	if mm := z*1000 + 0.5; mm >= 1 && mm < 65536 {
		return uint16(mm)
	}
	return 0
}

// Labels of pixels. Body i of the scene has the label LabelBody + i.
const (
	LabelNothing uint16 = iota // pixels that the optics do not image
	LabelHall                  // walls and ceiling
	LabelFloor                 // carpet and bare floor
	LabelMark                  // a marking on the carpet
	LabelBody    uint16 = 8
)

// Truth is the ground truth at the centre of each pixel, rows from the top. It ignores nets. Renderers do not store
// Range, Normals and Flow where they are nil. Flow needs Range.
type Truth struct {
	Width, Height int
	Labels        []uint16  // Height × Width
	Range         []float32 // distance along the pixel's ray, metres, Height × Width; +Inf where there is nothing
	// surface normals in the optical frame, unit length, Height × Width × 3; 0 where there is nothing
	Normals []float32
	// Flow is the optical flow, Height × Width × 2: the displacement (u, v) in pixels of the surface point since
	// View.Before. It is NaN if the optics did not image the point at that time, or if there is nothing. It is 0
	// without a Before.
	Flow []float32
}

// NewTruth returns a Truth of zeros.
func NewTruth(width, height int) *Truth {
	n := width * height
	return &Truth{Width: width, Height: height, Labels: make([]uint16, n), Range: make([]float32, n),
		Normals: make([]float32, 3*n), Flow: make([]float32, 2*n)}
}

// Before holds the poses at an earlier instant, to which the Flow of a Truth refers.
type Before struct {
	PosesWB []spatial.Pose // of each Body of the Scene
	PoseWC  spatial.Pose   // of the camera
}

// Radiance is the linear light of every pixel before sRGB encoding, rows from the top. 1 is white at full exposure. It
// is an estimate, and may exceed 1.
type Radiance struct {
	Width, Height int
	Light         []float32 // Height × Width × 3
	// Error is the standard error of Light, computed from the spread of the samples: Height × Width × 3.
	Error []float32
	// Samples is the smallest number of paths that any pixel has.
	Samples int
}

// NewRadiance returns a Radiance of zeros.
func NewRadiance(width, height int) *Radiance {
	n := 3 * width * height
	return &Radiance{Width: width, Height: height, Light: make([]float32, n), Error: make([]float32, n)}
}

// DefaultSamples is the number of paths per pixel if Tracing.Samples is 0.
const DefaultSamples = 64

// Tracing configures renderers that trace paths of light.
type Tracing struct {
	Samples int // number of paths per pixel; 0 for DefaultSamples
	// Stop ends the tracing when it is closed. It may be nil. Images then contain the samples traced so far, at least
	// one per pixel.
	Stop <-chan struct{}
	// Progress is called as the tracing of an image progresses. It may be nil. The argument samples is the number of
	// samples that each pixel of the image has so far, at least. The argument total is the number that each pixel will
	// have at the end. Any goroutine may call Progress.
	Progress func(samples, total int)
}

// Points returns the point that each pixel of a depth image shows, in metres in the optical frame, rows from the top.
// The point of a pixel without a measurement is NaN. The result uses the memory of the last argument if that is large
// enough.
func Points(d *Depth, lens optics.Pinhole, into []mgl32.Vec3) []mgl32.Vec3 {
	nan := float32(math.NaN())
	into = into[:0]
	for v := range d.Height {
		y := float32((float64(v) - lens.CY) / lens.FY)
		for u := range d.Width {
			z := d.Z[v*d.Width+u]
			if !(z > 0) || math.IsInf(float64(z), 1) {
				into = append(into, mgl32.Vec3{nan, nan, nan})
				continue
			}
			into = append(into, mgl32.Vec3{float32((float64(u)-lens.CX)/lens.FX) * z, y * z, z})
		}
	}
	return into
}
