package vision

import "math"

// CardMeasures are the dimensions of a robot's colour cards, which are squares that face four sides.
type CardMeasures struct {
	Height float64 // of the centre of a card over the floor, m
	Size   float64 // length of a card's sides, m
	Offset float64 // distance of a card from the robot's centre, m
}

// NuBotCards are the dimensions of the cards of the robot model nubot, measured on the model.
var NuBotCards = CardMeasures{Height: 0.421, Size: 0.18, Offset: 0.1425}

// Errors of measurement. Guesses.
const (
	edgeError = 0.15  // pixels, of an edge of a card
	tiltError = 0.002 // rad, of the camera's pitch
)

// elevation holds the tangents of the elevation angles of a card's upper and lower edge, and the angular size of a
// pixel, in rad.
type elevation struct{ upper, lower, pixel float64 }

func (e *elevation) middle() float64 { return (e.upper + e.lower) / 2 }

// byHeight returns the horizontal distance D of a card from the camera, in m, computed from the elevation of the card's
// centre alone. D is (Height − height)/tan, where height is the height of the camera and tan is the tangent of the
// elevation angle. An angular error δ causes an error of D²/|Height − height|·δ. At equal heights, or if the angle has
// the wrong sign, it returns +Inf. Source: Dai et al. 2016, equation 1.
func (m *CardMeasures) byHeight(e *elevation, height float64) float64 {
	if d := (m.Height - height) / e.middle(); d > 0 {
		return d
	}
	return math.Inf(1)
}

// bySize returns the horizontal distance D of a card from the camera, in m, computed from the card's apparent size. The
// tangents of the elevations of the card's upper and lower edge differ by Size/D.
func (m *CardMeasures) bySize(e *elevation) float64 { return m.Size / (e.upper - e.lower) }

// distance combines the distances of byHeight and bySize, weighted by their accuracy. It returns the combined distance
// D and its standard deviation, in m. Both methods measure 1/D. The error of 1/D is an angular error divided by |Height
// − height| for byHeight, and divided by Size for bySize.
func (m *CardMeasures) distance(e *elevation, height float64) (d, deviation float64) {
	edge := edgeError * e.pixel
	over := m.Height - height
	height2 := over / (edge*edge/2 + tiltError*tiltError) // over²/variance, divided by over
	size2 := m.Size / (2 * edge * edge)
	weight := height2*over + size2*m.Size
	d = weight / (height2*e.middle() + size2*(e.upper-e.lower))
	return d, d * d / math.Sqrt(weight)
}
