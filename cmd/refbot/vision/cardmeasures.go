package vision

import "math"

// CardMeasures are those of robots' colour cards, squares that face four sides, by a ruler.
type CardMeasures struct {
	Height float64 // of a card's middle over the floor, m
	Size   float64 // of its sides, m
	Offset float64 // from the robot's middle, m
}

// NuBotCards is what robots of the model nubot have. Measured on the model.
var NuBotCards = CardMeasures{Height: 0.421, Size: 0.18, Offset: 0.1425}

// How exact what is seen is. Guesses.
const (
	edgeError = 0.15  // pixels, of an edge of a card
	tiltError = 0.002 // rad, by which a camera is pitched other than it should be
)

// elevation is the tangents of the angles under which a card's upper and lower edge are seen above the horizon, and the
// angle of a pixel, rad.
type elevation struct{ upper, lower, pixel float64 }

func (e *elevation) middle() float64 { return (e.upper + e.lower) / 2 }

// byHeight returns how far a card is from a camera of a height, along the floor, by the angle of its middle alone:
// (Height − height)/tan. The nearer the card's height is to the camera's, the less the angle tells: an error δ of the
// angle is D²/|Height − height|·δ of the distance, and at the same height the angle is 0 at any. Then, and where the
// angle has the wrong sign, the distance is +Inf. Source: Dai et al. 2016, equation 1.
func (m *CardMeasures) byHeight(e *elevation, height float64) float64 {
	if d := (m.Height - height) / e.middle(); d > 0 {
		return d
	}
	return math.Inf(1)
}

// bySize returns how far it is by how tall it looks: the difference of its edges' tangents is Size/D, wherever it
// hangs.
func (m *CardMeasures) bySize(e *elevation) float64 { return m.Size / (e.upper - e.lower) }

// distance returns how far it is by both, each by how exact it is, and the standard deviation, m. Both measure 1/D,
// with the errors of angles over |Height − height| and over Size; at the camera's height the first counts nothing.
func (m *CardMeasures) distance(e *elevation, height float64) (d, deviation float64) {
	edge := edgeError * e.pixel
	over := m.Height - height
	height2 := over / (edge*edge/2 + tiltError*tiltError) // over² / variance, less one over
	size2 := m.Size / (2 * edge * edge)
	weight := height2*over + size2*m.Size
	d = weight / (height2*e.middle() + size2*(e.upper-e.lower))
	return d, d * d / math.Sqrt(weight)
}
