package render

import "github.com/omnipitch/omnipitch/physics/spatial"

// Labels of what is no body. Body i of the scene has the label LabelBody + i.
const (
	LabelNothing uint16 = iota // where the optics see nothing
	LabelHall                  // walls and ceiling
	LabelFloor                 // carpet and bare floor
	LabelMark                  // a marking on the carpet
	LabelBody    uint16 = 8
)

// Truth is what the middle of each pixel shows, rows from the top. Nets are left out.
type Truth struct {
	Width, Height int
	Labels        []uint16  // Height × Width
	Range         []float32 // Height × Width: metres along the pixel's ray; +Inf where nothing is seen
	Normals       []float32 // Height × Width × 3: of the surface, unit length, in the optical frame; zero where nothing is
	// Flow holds Height × Width × 2 pixels (u, v) by which the surface's point has moved in the picture since View.Before;
	// NaN where it was not seen then or nothing is seen, zero without a Before.
	Flow []float32
}

// NewTruth returns zeros.
func NewTruth(width, height int) *Truth {
	n := width * height
	return &Truth{Width: width, Height: height, Labels: make([]uint16, n), Range: make([]float32, n), Normals: make([]float32, 3*n), Flow: make([]float32, 2*n)}
}

// Before is an earlier instant, for the Flow of a Truth.
type Before struct {
	PosesWB []spatial.Pose // of each Body of the Scene
	PoseWC  spatial.Pose   // of the camera
}
