package imaging

import (
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

// Imager is a camera chip and lens with their faults.
type Imager struct {
	FullWell     float64 `toml:"full_well_e" range:"[100, 1000000]" doc:"electrons of a saturated pixel: fewer make more shot noise"`
	ReadNoise    float64 `toml:"read_noise_e" range:"[0, 10000]" doc:"standard deviation of a dark pixel, electrons"`
	Exposure     float64 `toml:"exposure" range:"(0, 64]" doc:"light that the chip collects, 1 is right for the common hall"`
	Gain         float64 `toml:"gain" range:"(0, 64]" doc:"amplification after the chip, of signal and noise"`
	WhiteBalance float64 `toml:"white_balance_k" range:"[1500, 20000]" doc:"colour temperature of the light that looks white"`
	Bayer        bool    `toml:"bayer" doc:"one colour a pixel, in an RGGB mosaic, and the others from the neighbours"`
	Chromatic    float64 `toml:"chromatic_px" range:"[-10, 10]" doc:"red is seen so much farther out in the corners, and blue farther in"`
	Dust         int     `toml:"dust" range:"[0, 1000]" doc:"specks on the lens or the mirror, each in its place for good"`
	Scratches    int     `toml:"scratches" range:"[0, 1000]" doc:"scratches on the lens or the mirror"`
	Vignetting   float64 `toml:"vignetting" range:"[0, 1]" doc:"share of the natural cos^4 fall-off towards the edge"`
}

// SetDefaults is a 1/3 inch industrial CMOS camera. Guess: EMVA 1288 data sheets of such chips give 8,000 to 12,000
// electrons and 5 to 15; the fall-off is half the natural one, since lenses for such cameras correct for it.
func (i *Imager) SetDefaults() {
	*i = Imager{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, WhiteBalance: render.White, Vignetting: 0.5}
}

// Chip returns the chip and the lens for images of width × height pixels; source tells where its dirt sits.
func (i *Imager) Chip(width, height int, source random.Source) *render.Chip {
	chip := &render.Chip{
		FullWell: i.FullWell, ReadNoise: i.ReadNoise,
		Bayer: i.Bayer, Chromatic: i.Chromatic, Dirt: dirt(i.Dust, i.Scratches, width, height, source),
	}
	settings := i.Settings()
	settings.Set(chip)
	return chip
}

// balance returns the factors of red, green and blue that make the light of the white balance's temperature white;
// green stays. Images are drawn as a camera sees them that is balanced to render.White.
func (i *Imager) balance() [3]float64 {
	drawn, wanted := render.BlackBody(render.White), render.BlackBody(i.WhiteBalance)
	var b [3]float64
	for c := range b {
		b[c] = drawn[c] / wanted[c] * wanted[1] / drawn[1]
	}
	return b
}

// NoiseKey returns the key of the noise of a frame's images.
func NoiseKey(noise random.Source) uint64 { return noise.Pixels(0).Bits(0) }
