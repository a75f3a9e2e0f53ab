package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Lighting configures the light in a hall. The zero value is dark.
type Lighting struct {
	Lamp               float64  `toml:"lamp" range:"[0, 4]" doc:"light of the lamps, which cast shadows; 1 is a typical hall"`
	LampTemperature    float64  `toml:"lamp_temperature_k" range:"[1500, 20000]" doc:"colour temperature of the lamps; the cameras show 5500 K as white"`
	LampAzimuth        float64  `toml:"lamp_azimuth_deg" range:"[-360, 360]" doc:"direction to the lamps, anticlockwise from x"`
	LampElevation      float64  `toml:"lamp_elevation_deg" range:"[20, 90]" doc:"elevation of the lamps above the horizon"`
	Ambient            float64  `toml:"ambient" range:"[0, 4]" doc:"ambient light; 1 is a typical hall"`
	AmbientTemperature float64  `toml:"ambient_temperature_k" range:"[1500, 20000]" doc:"its colour temperature: blue sky through windows is 10000 and more"`
	Shadows            bool     `toml:"shadows" doc:"whether lamps cast shadows in the plain look; images without shadows are drawn faster. The natural look and the reference always have shadows"`
	Flicker            *Flicker `toml:"flicker" doc:"flicker of lamps on the mains; default: none"`
	Spots              []Spot   `toml:"spot" doc:"lamps close enough to make the light uneven, at most 8; in the plain look they cast no shadows"`
}

// Spot is a lamp near the field.
type Spot struct {
	Name        string  `toml:"name" match:"name" doc:"name of the lamp, for the action set_lamp"`
	X           float64 `toml:"x_m" range:"[-50, 50]"`
	Y           float64 `toml:"y_m" range:"[-50, 50]"`
	Z           float64 `toml:"z_m" range:"[1, 50]" doc:"height"`
	Amount      float64 `toml:"amount" range:"[0, 16]" doc:"light on the floor directly below; 1 is that of a typical hall's lamps"`
	Temperature float64 `toml:"temperature_k" range:"[1500, 20000]" doc:"colour temperature"`
}

// SetDefaults sets a white lamp 6 m high.
func (s *Spot) SetDefaults() { s.Z, s.Amount, s.Temperature = 6, 1, White }

// MaxSpots is the largest number of nearby lamps of a Light. Its distant lamp does not count.
const MaxSpots = 8

// commonLamp is the colour of the light of the lamps in a typical hall, linear. The values are guesses.
var commonLamp = mgl32.Vec3{0.52, 0.50, 0.46}

// White is the colour temperature, kelvin, that images show as white.
const White = 5500

// DefaultLighting returns the light of a sports hall. Its rows of lamps under a high ceiling act like one distant lamp
// and ambient light.
func DefaultLighting() Lighting {
	return Lighting{
		Lamp: 1, LampTemperature: White, LampAzimuth: 38.2 * spatial.Degree, LampElevation: 69 * spatial.Degree,
		Ambient: 1, AmbientTemperature: White, Shadows: true,
	}
}

// Light returns the light of a Scene. With the default Lighting, images show white lines at 90 % of white. The amounts
// are guesses that achieve this.
func (l Lighting) Light() Light {
	lamp := tinted(commonLamp, l.Lamp, l.LampTemperature)
	ambient := func(c mgl32.Vec3) mgl32.Vec3 { return tinted(c, l.Ambient, l.AmbientTemperature) }
	sin, cos := math.Sincos(l.LampElevation)
	east, north := math.Cos(l.LampAzimuth), math.Sin(l.LampAzimuth)
	var spots []PointLamp
	for _, s := range l.Spots {
		below := tinted(commonLamp, s.Amount, s.Temperature)
		spots = append(spots, PointLamp{mgl32.Vec3{float32(s.X), float32(s.Y), float32(s.Z)},
			below.Mul(float32(s.Z * s.Z))})
	}
	var flicker Flicker
	if l.Flicker != nil {
		flicker = *l.Flicker
	}
	return Light{
		Spots:      spots,
		Flicker:    flicker,
		Shadowless: !l.Shadows,
		DirectionW: mgl32.Vec3{float32(cos * east), float32(cos * north), float32(sin)}.Normalize(),
		Lamp:       lamp,
		Sky:        ambient(mgl32.Vec3{0.47, 0.48, 0.51}),
		Bounce:     ambient(mgl32.Vec3{0.33, 0.35, 0.33}),
		Background: ambient(mgl32.Vec3{0.55, 0.56, 0.57}),
		Wall:       ambient(mgl32.Vec3{0.36, 0.35, 0.33}),
		Tube:       ambient(mgl32.Vec3{0.0025, 0.0025, 0.0025}),
	}
}

// tinted returns the light of an amount and a colour temperature. c is the colour of the light at the temperature
// White.
func tinted(c mgl32.Vec3, amount, kelvin float64) mgl32.Vec3 {
	at, white := BlackBody(kelvin), BlackBody(White)
	for i := range c {
		c[i] *= float32(amount * at[i] / white[i])
	}
	return c
}

// BlackBody returns the colour of a black body in linear sRGB with luminance 1. The chromaticity is that of the cubic
// splines of Kim et al., US patent 7024034 (2002), which are valid from 1667 K to 25000 K. The matrix is that of IEC
// 61966-2-1.
func BlackBody(kelvin float64) [3]float64 {
	t := math.Max(1667, math.Min(25000, kelvin))
	k := 1e3 / t
	var x, y float64
	if t < 4000 {
		x = -0.2661239*k*k*k - 0.2343589*k*k + 0.8776956*k + 0.179910
	} else {
		x = -3.0258469*k*k*k + 2.1070379*k*k + 0.2226347*k + 0.240390
	}
	switch {
	case t < 2222:
		y = -1.1063814*x*x*x - 1.34811020*x*x + 2.18555832*x - 0.20219683
	case t < 4000:
		y = -0.9549476*x*x*x - 1.37418593*x*x + 2.09137015*x - 0.16748867
	default:
		y = 3.0817580*x*x*x - 5.87338670*x*x + 3.75112997*x - 0.37001483
	}
	xyz := [3]float64{x / y, 1, (1 - x - y) / y}
	rgb := [3]float64{
		3.2406*xyz[0] - 1.5372*xyz[1] - 0.4986*xyz[2],
		-0.9689*xyz[0] + 1.8758*xyz[1] + 0.0415*xyz[2],
		0.0557*xyz[0] - 0.2040*xyz[1] + 1.0570*xyz[2],
	}
	for i := range rgb {
		rgb[i] = math.Max(rgb[i], 1e-3) // the reddest colours are outside of sRGB
	}
	return rgb
}

// Brightness is the light that arrives on the unshaded floor, relative to the light under the default Lighting.
type Brightness struct {
	Even  float64 // the light far from spots
	spots []brightSpot
}

// brightSpot is a lamp at height z and the light that it adds on the floor directly below.
type brightSpot struct{ x, y, z, amount float64 }

// Brightness returns the brightness under a Lighting. In a dark hall, Even is tiny but not 0, because 0 means that the
// light is unknown.
func (l Lighting) Brightness() Brightness {
	even := func(l Lighting) float64 {
		light := l.Light()
		return Luminance(light.Lamp.Mul(light.DirectionW[2]).Add(light.Sky))
	}
	common := even(DefaultLighting())
	b := Brightness{Even: max(even(l)/common, math.SmallestNonzeroFloat64)}
	for _, s := range l.Spots {
		b.spots = append(b.spots, brightSpot{s.X, s.Y, s.Z,
			Luminance(tinted(commonLamp, s.Amount, s.Temperature)) / common})
	}
	return b
}

// Spots returns the light that nearby lamps add at a point of the floor, by the inverse-square law and the cosine law.
func (b *Brightness) Spots(x, y float64) (sum float64) {
	for i := range b.spots {
		s := &b.spots[i]
		dx, dy := x-s.x, y-s.y
		cos := s.z / math.Sqrt(dx*dx+dy*dy+s.z*s.z)
		sum += s.amount * cos * cos * cos
	}
	return sum
}

// Luminance returns the luminance of a linear sRGB colour (IEC 61966-2-1).
func Luminance(c mgl32.Vec3) float64 {
	return 0.2126*float64(c[0]) + 0.7152*float64(c[1]) + 0.0722*float64(c[2])
}
