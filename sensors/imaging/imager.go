package imaging

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

// Imager is a camera chip and lens with their faults.
type Imager struct {
	FullWell     float64 `toml:"full_well_e" range:"[100, 1000000]" doc:"full well of a pixel, electrons; fewer cause more shot noise"`
	ReadNoise    float64 `toml:"read_noise_e" range:"[0, 10000]" doc:"read noise: standard deviation of a dark pixel, electrons"`
	Exposure     float64 `toml:"exposure" range:"(0, 64]" doc:"collected light; 1 is right for the common hall"`
	Gain         float64 `toml:"gain" range:"(0, 64]" doc:"gain after the chip, of signal and noise"`
	WhiteBalance float64 `toml:"white_balance_k" range:"[1500, 20000]" doc:"colour temperature of light that appears white"`
	Bayer        bool    `toml:"bayer" doc:"an RGGB Bayer mosaic, interpolated from the neighbours"`
	Chromatic    float64 `toml:"chromatic_px" range:"[-10, 10]" doc:"chromatic aberration: relative displacement of red outwards and of blue inwards in the corners"`
	Dust         int     `toml:"dust" range:"[0, 1000]" doc:"specks on the lens or the mirror, at constant positions"`
	Scratches    int     `toml:"scratches" range:"[0, 1000]" doc:"scratches on the lens or the mirror, at constant positions"`
	Vignetting   float64 `toml:"vignetting" range:"[0, 1]" doc:"share of the natural cos^4 fall-off towards the edge"`
	Glare        float64 `toml:"glare" range:"[0, 0.5]" doc:"share of the light that the lens scatters over the image, including the full brightness of lamps and windows: ISO 9358's veiling glare index"`
	Blooming     float64 `toml:"blooming" range:"[0, 1]" doc:"share of the charge above the full well that blooms along the column of a CCD; the overflow drain takes the rest"`
	Smear        float64 `toml:"smear_percent" range:"[0, 10]" doc:"smear of a CCD as in data sheets: the light that a white patch a tenth as high as the image adds to its columns"`
	DSNU         float64 `toml:"dsnu_e" range:"[0, 10000]" doc:"constant standard deviation of the pixels' dark signal, electrons: EMVA 1288's dark signal nonuniformity"`
	PRNU         float64 `toml:"prnu_percent" range:"[0, 20]" doc:"constant standard deviation of the pixels' response: photo response nonuniformity"`
	Rows         float64 `toml:"row_pattern_e" range:"[0, 10000]" doc:"constant standard deviation of the rows' dark signal, electrons"`
	Columns      float64 `toml:"column_pattern_e" range:"[0, 10000]" doc:"constant standard deviation of the columns' dark signal, electrons"`
	HotPixels    float64 `toml:"hot_pixels_ppm" range:"[0, 100000]" doc:"hot pixels per million, at constant positions"`
	HotCurrent   float64 `toml:"hot_pixel_e_s" range:"(0, 1000000]" doc:"dark current of the least hot pixel at 20 °C, electrons per second of shutter.exposure_ms, or of 10 ms if that is 0; one in n is n^2 times as hot"`
	Temperature  float64 `toml:"chip_temperature_c" range:"[-40, 100]" doc:"temperature of the chip: the dark current of hot pixels doubles every 8 K"`
	Tint         float64 `toml:"tint" range:"[-0.5, 0.5]" doc:"share of green that the white balance takes away: above 0, white is magenta, below 0 green, as in light that is not a black body's"`
	Denoise      float64 `toml:"denoise" range:"[0, 50]" doc:"noise reduction by a bilateral filter of 5 x 5 pixels: standard deviation of the differences of colours that it smooths, levels of 255"`
	Contrast     float64 `toml:"contrast" range:"[0, 1]" doc:"contrast of the tone curve, of the encoded image: share of the smoothstep function, which darkens dark and brightens bright pixels"`
	Sharpening   float64 `toml:"sharpening" range:"[0, 5]" doc:"amount of an unsharp mask with a radius of 1 pixel"`
	JPEGQuality  int     `toml:"jpeg_quality" range:"[0, 100]" doc:"quality of 4:2:0 JPEG compression of the image; 0 for none"`
}

// SetDefaults sets the values of a 1/3 inch industrial CMOS camera. They are guesses: EMVA 1288 data sheets of such
// chips give a full well of 8,000 to 12,000 electrons and a read noise of 5 to 15 electrons. The vignetting is half of
// the natural fall-off of light, because lenses for such cameras partly correct it. All pixels are alike.
func (i *Imager) SetDefaults() {
	*i = Imager{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, WhiteBalance: render.White, Vignetting: 0.5,
		HotCurrent: 2000, Temperature: warmRoom}
}

// warmRoom is the temperature, in °C, for which the dark current of hot pixels is given. doubling is the rise of the
// temperature, in K, that doubles the dark current. The formula is from EMVA 1288, which leaves doubling to the chip.
// The value of 8 K is a guess: silicon has 5 K to 10 K.
const warmRoom, doubling = 20, 8

// atOnce is the time for which a camera without a configured shutter collects dark signal. The value is a guess.
const atOnce = 10 * time.Millisecond

// hotSignal returns the dark signal, in electrons, of the hot pixel that has the smallest dark signal.
func (i *Imager) hotSignal(shutter *Shutter) float64 {
	exposure := atOnce
	if shutter != nil && shutter.Exposure > 0 {
		exposure = shutter.Exposure
	}
	return i.HotCurrent * exposure.Seconds() * math.Exp2((i.Temperature-warmRoom)/doubling)
}

// Chip returns the faults of the chip and the lens for images of width × height pixels. The shutter may be nil. The
// random source determines the positions of dirt and the differences between pixels, which are the same in all frames.
func (i *Imager) Chip(width, height int, shutter *Shutter, source random.Source) *render.Chip {
	key, _ := source.Frame(0).Bits(random.Index(streamPattern, 0))
	chip := &render.Chip{
		FullWell: i.FullWell, ReadNoise: i.ReadNoise,
		Bayer: i.Bayer, Chromatic: i.Chromatic, Dirt: dirt(i.Dust, i.Scratches, width, height, source),
		Glare: i.Glare, Spill: i.Blooming, Smear: i.Smear,
		Denoise: i.Denoise, Contrast: i.Contrast, Sharpening: i.Sharpening, JPEGQuality: i.JPEGQuality,
		Fixed: render.FixedPattern{
			Key: key, DSNU: i.DSNU, PRNU: i.PRNU, Row: i.Rows, Column: i.Columns, Hot: i.HotPixels,
			HotSignal: i.hotSignal(shutter),
		},
	}
	settings := i.Settings()
	settings.Set(chip)
	return chip
}

// balance returns factors for red, green and blue. With these factors, light of the colour temperature WhiteBalance
// appears white, but for Tint. The factor for green is 1 without Tint. Rendered images are those of a camera whose
// white balance is render.White.
func (i *Imager) balance() [3]float64 {
	drawn, wanted := render.BlackBody(render.White), render.BlackBody(i.WhiteBalance)
	var b [3]float64
	for c := range b {
		b[c] = drawn[c] / wanted[c] * wanted[1] / drawn[1]
	}
	b[1] -= i.Tint
	return b
}

// streamPattern is the stream of the differences between pixels. It differs from the streams of frame 0 and from
// streamDirt.
const streamPattern = streamDirt + 1

// NoiseKey returns the key that selects the noise of a frame's images, from the frame's source of random numbers.
func NoiseKey(noise random.Source) uint64 { return noise.Pixels(0).Bits(0) }
