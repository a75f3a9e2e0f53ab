package render

import "github.com/omnipitch/omnipitch/physics/spatial"

// Labels of pixels. Body i of the scene has the label LabelBody + i.
const (
	LabelNothing uint16 = iota // outside of the optics' image
	LabelHall                  // walls and ceiling
	LabelFloor                 // carpet and bare floor
	LabelMark                  // a marking on the carpet
	LabelBody    uint16 = 8
)

// Truth is ground truth at the centre of each pixel, rows from the top. It ignores nets.
type Truth struct {
	Width, Height int
	Labels        []uint16  // Height × Width
	Range         []float32 // Height × Width: metres along the pixel's ray; +Inf where there is nothing
	// Height × Width × 3: surface normals, unit length, in the optical frame; zero where there is nothing
	Normals []float32
	// Flow is Height × Width × 2: the displacement (u, v), pixels, of the surface point in the image since View.Before.
	// It is NaN where the optics did not image the point then, or there is nothing; zero without a Before.
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
