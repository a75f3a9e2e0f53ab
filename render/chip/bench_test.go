package chip

import (
	"testing"

	"github.com/omnipitch/omnipitch/render"
)

func BenchmarkApply640x640(b *testing.B) {
	for _, c := range []struct {
		name string
		chip render.Chip
	}{
		{"noise", render.Chip{}}, {"bayer", render.Chip{Bayer: true}}, {"chromatic", render.Chip{Chromatic: 1.5}},
		{"bayer and chromatic", render.Chip{Bayer: true, Chromatic: 1.5}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.chip.FullWell, c.chip.ReadNoise, c.chip.Exposure, c.chip.Gain, c.chip.Balance = 10_000, 12, 1, 1,
				[3]float64{1, 1, 1}
			im := render.NewImage(640, 640)
			for i := range im.Pix {
				im.Pix[i] = byte(i / 4800)
			}
			var p Processor
			b.ReportAllocs()
			for k := 0; b.Loop(); k++ {
				p.Apply(im, &c.chip, uint64(k)*0x9E3779B97F4A7C15)
			}
		})
	}
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			newTable(tableKey{1, 1e-4, 1e-6, 1})
		}
	})
}
