package vision

import "math"

// CardMeasures are the dimensions of a robot's colour cards, which are squares that face four sides.
type CardMeasures struct {
	Height float64 // of the centre of a card over the floor, m
	Size   float64 // of its sides, m
	Offset float64 // from the robot's centre, m
}

// NuBotCards are the cards of robot model nubot, measured on the model.
var NuBotCards = CardMeasures{Height: 0.421, Size: 0.18, Offset: 0.1425}

// Errors of measurement. Guesses.
const (
	edgeError = 0.15  // pixels, of an edge of a card
	tiltError = 0.002 // rad, of the camera's pitch
)

// elevation holds the tangents of the elevation angles of a card's upper and lower edge, and the angle of a pixel, rad.
type elevation struct{ upper, lower, pixel float64 }

func (e *elevation) middle() float64 { return (e.upper + e.lower) / 2 }

// byHeight returns the horizontal distance of a card from the camera, by the elevation of its centre alone: (Height −
// height)/tan, where height is that of the camera. An angular error δ causes an error of D²/|Height − height|·δ. At
// equal heights, or if the angle has the wrong sign, it returns +Inf. Source: Dai et al. 2016, equation 1.
func (m *CardMeasures) byHeight(e *elevation, height float64) float64 {
	if d := (m.Height - height) / e.middle(); d > 0 {
		return d
	}
	return math.Inf(1)
}

// bySize returns the horizontal distance of a card by its apparent size: the tangents of its edges differ by Size/D.
func (m *CardMeasures) bySize(e *elevation) float64 { return m.Size / (e.upper - e.lower) }

// distance combines byHeight and bySize, weighted by their accuracy, and returns the distance and its standard
// deviation, m. Both measure 1/D. Their errors are angular errors over |Height − height| and over Size.
func (m *CardMeasures) distance(e *elevation, height float64) (d, deviation float64) {
	edge := edgeError * e.pixel
	over := m.Height - height
	height2 := over / (edge*edge/2 + tiltError*tiltError) // over²/variance, divided by over
	size2 := m.Size / (2 * edge * edge)
	weight := height2*over + size2*m.Size
	d = weight / (height2*e.middle() + size2*(e.upper-e.lower))
	return d, d * d / math.Sqrt(weight)
}
