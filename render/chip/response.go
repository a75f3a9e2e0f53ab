package chip

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// response is what a chip reads for light, as numbers of its arithmetic. Charge is counted in full wells.
type response struct {
	exposure float32 // charge of light 1
	shot     float32 // variance of the charge, for each charge
	read     float32 // variance of the charge of a dark pixel
	gain     [3]float32
}

func newResponse(c *render.Chip) response {
	read := c.ReadNoise / c.FullWell
	r := response{exposure: float32(c.Exposure), shot: float32(1 / c.FullWell), read: float32(read * read)}
	for i, b := range c.Balance {
		r.gain[i] = float32(c.Gain * b)
	}
	return r
}

// reading returns what a pixel of a colour reads, 0 to 1, for light and a normal number.
func (r *response) reading(light, normal float32, color int) float32 {
	charge := light * r.exposure
	sigma := sqrt(float32(charge*r.shot) + r.read)
	return max(0, min(1, r.gain[color]*min(1, charge+float32(sigma*normal))))
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// table holds the byte that a colour of a pixel becomes, for each byte that was drawn and each sum of random bytes.
type table [256 << tableShift]byte

const tableShift = 10 // steps fit into 1 << tableShift

// tableKey is all that a table depends on.
type tableKey struct{ exposure, shot, read, gain float32 }

func (r *response) tableKey(color int) tableKey {
	return tableKey{r.exposure, r.shot, r.read, r.gain[color]}
}

func newTable(k tableKey) *table {
	t := &table{}
	r := response{k.exposure, k.shot, k.read, [3]float32{k.gain}}
	for v := range 256 {
		light := render.Decode8(byte(v))
		for sum := range uint32(steps) {
			t[v<<tableShift|int(sum)] = render.Encode8(r.reading(light, normal(sum), 0))
		}
	}
	return t
}
