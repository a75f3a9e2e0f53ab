package render

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Texture multiplies the contrast of a carpet's grain and keeps its mean.
func TestTextureIsContrast(t *testing.T) {
	of := func(texture float64) (mean, deviation float64) {
		var all []float64
		for _, g := range (&Floor{Texture: texture}).Grain() {
			all = append(all, float64(g))
		}
		return stat.MeanStdDev(all, nil)
	}
	mean, deviation := of(0)
	for _, texture := range []float64{0.5, 1, 1.5} {
		m, d := of(texture)
		must.Near(t, "mean", m, mean, 2)
		must.Near(t, "contrast", d/deviation, 1+texture, 0.12*(1+texture)) // white and black clip it
	}
	if !bytes.Equal((&Floor{}).Grain(), Grain()) {
		t.Error("a new carpet has another grain")
	}
}
