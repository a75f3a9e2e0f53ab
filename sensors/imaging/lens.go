package imaging

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Image configures the size of a camera's image and its angle of view.
type Image struct {
	Width  int     `toml:"width_px" range:"[16, 4096]" doc:"width; default 640 for an omni camera, 512 for a Kinect, 672 for a stereo pair"`
	Height int     `toml:"height_px" range:"[16, 4096]" doc:"height; default 640 for an omni camera, 424 for a Kinect, 376 for a stereo pair"`
	FOV    float64 `toml:"fov_deg" range:"[5, 350]" doc:"angle of view across the width, without distortion; default 66 for an omni camera, 70.6 for a Kinect, 87.7 for a stereo pair; at most 160 unless the lens is a fisheye or unified; for an omni camera, before the mirror"`
}

// Pinhole returns the camera model without lens distortion.
func (i *Image) Pinhole() optics.Pinhole { return optics.PinholeFromFOV(i.Width, i.Height, i.FOV) }

// SetDefaults sets a plain camera with a common 6 mm lens.
func (i *Image) SetDefaults() { *i = Image{Width: 640, Height: 480, FOV: 62 * spatial.Degree} }

// Lens is the distortion of a lens, in OpenCV's conventions.
type Lens struct {
	Model  string    `toml:"model" required:"true" oneof:"brown-conrady|fisheye|unified|ocamcalib" doc:"Brown and Conrady's distortion, Kannala and Brandt's fisheye, Mei's unified sphere, or the polynomial of the toolbox OCamCalib"`
	FX     float64   `toml:"fx_px" range:"[0, 100000]" doc:"horizontal focal length; 0 computes it from fov_deg, without distortion"`
	FY     float64   `toml:"fy_px" range:"[0, 100000]" doc:"vertical focal length; 0 for fx_px"`
	CX     float64   `toml:"cx_px" range:"[-10000, 10000]" doc:"principal point; 0 for the centre of the image"`
	CY     float64   `toml:"cy_px" range:"[-10000, 10000]"`
	K      []float64 `toml:"k" doc:"radial coefficients k1, k2, …: up to 6 for brown-conrady, 4 for fisheye, 2 for unified"`
	P      []float64 `toml:"p" doc:"tangential coefficients p1, p2; not for fisheye"`
	Circle float64   `toml:"circle_px" range:"[0, 10000]" doc:"only for fisheye: radius of the image circle around the principal point, beyond which the image is black; 0: none"`
	Xi     float64   `toml:"xi" range:"[0, 10]" doc:"only for unified"`
	Poly   []float64 `toml:"poly" doc:"only for ocamcalib: a0, a1, … of its direct polynomial, a0 negative; it needs no focal length"`
	C      float64   `toml:"c" range:"[-10, 10]" doc:"only for ocamcalib: affine distortion c, d, e; c = 0 means 1"`
	D      float64   `toml:"d" range:"[-10, 10]"`
	E      float64   `toml:"e" range:"[-10, 10]"`
}

// coefficients holds the number of radial coefficients of each distortion model.
var coefficients = map[string]int{"brown-conrady": 6, "fisheye": 4, "unified": 2}

// Camera returns the camera model of the lens with the given image.
func (l *Lens) Camera(i *Image) (optics.Model, error) {
	p := optics.Pinhole{
		Width: i.Width, Height: i.Height, FX: l.FX, FY: l.FY, CX: l.CX, CY: l.CY,
	}
	if p.FX == 0 {
		p.FX = float64(i.Width) / 2 / l.edge(i.FOV/2)
	}
	if p.FY == 0 {
		p.FY = p.FX
	}
	if p.CX == 0 {
		p.CX = float64(i.Width-1) / 2
	}
	if p.CY == 0 {
		p.CY = float64(i.Height-1) / 2
	}
	if most := coefficients[l.Model]; len(l.K) > most {
		return nil, fmt.Errorf("k must have at most %d coefficients for %s", most, l.Model)
	}
	if len(l.P) > 2 || l.Model == "fisheye" && len(l.P) > 0 {
		return nil, errors.New("p must be p1 and p2, and is not for fisheye")
	}
	if l.Xi != 0 && l.Model != "unified" {
		return nil, errors.New("xi is for unified alone")
	}
	if l.Circle != 0 && l.Model != "fisheye" {
		return nil, errors.New("circle_px is for fisheye alone")
	}
	if (len(l.Poly) > 0 || l.C != 0 || l.D != 0 || l.E != 0) != (l.Model == "ocamcalib") {
		return nil, errors.New("poly, c, d and e are for ocamcalib, which needs poly, alone")
	}
	var k [6]float64
	var t [2]float64
	copy(k[:], l.K)
	copy(t[:], l.P)
	switch l.Model {
	case "ocamcalib":
		c := l.C
		if c == 0 {
			c = 1
		}
		return optics.NewOCam(optics.OCam{Width: p.Width, Height: p.Height, CX: p.CX, CY: p.CY, C: c, D: l.D, E: l.E,
			Poly: l.Poly})
	case "fisheye":
		m, err := optics.NewKannalaBrandt(p, k[0], k[1], k[2], k[3])
		if l.Circle > 0 {
			m = m.WithCircle(l.Circle)
		}
		return m, err
	case "unified":
		return optics.NewUnified(p, l.Xi, 0, optics.Distortion{K1: k[0], K2: k[1], P1: t[0], P2: t[1]})
	}
	return optics.NewBrownConrady(p, optics.Distortion{K1: k[0], K2: k[1], P1: t[0], P2: t[1], K3: k[2], K4: k[3],
		K5: k[4], K6: k[5]})
}

// edge returns the distance from the image centre, in focal lengths, at which a lens images a direction if its
// distortion coefficients are 0. The argument is the angle of the direction from the optical axis, in rad.
func (l *Lens) edge(angle float64) float64 {
	switch l.Model {
	case "fisheye":
		return angle
	case "unified":
		return math.Sin(angle) / (math.Cos(angle) + l.Xi)
	}
	return math.Tan(angle)
}

// WidestPlain is the widest angle of view of a lens that images straight lines as straight lines, rad.
const WidestPlain = 160 * spatial.Degree

// Plain reports whether the angle of view of the lens has the same limits as that of a pinhole camera. A nil lens is a
// pinhole.
func (l *Lens) Plain() bool { return l == nil || l.Model == "brown-conrady" }

// streamDirt is the stream of the positions of dirt. It differs from the streams of frame 0.
const streamDirt uint16 = 1000

const (
	speckRadius   = 0.012 // maximum radius of a speck, as a fraction of the image's width
	speckStrength = 0.5   // maximum fraction of the light that the centre of a speck blocks
	scratchLength = 0.25  // maximum length of a scratch, as a fraction of the image's width
	scratchWidth  = 0.7   // half the width of a scratch, px
)

// dirt returns, for each pixel, the fraction of the light that dust and scratches on a lens or mirror let through. It
// returns nil if there is neither dust nor a scratch. The dirt is the same in all frames. Its positions depend on the
// source noise, and thus on the seed, the robot and the sensor. The sizes and strengths are guesses based on
// photographs taken with used mirrors.
func dirt(dust, scratches, width, height int, noise random.Source) []float32 {
	if dust+scratches == 0 {
		return nil
	}
	keep := make([]float32, width*height)
	for i := range keep {
		keep[i] = 1
	}
	// darken blocks the fraction strength·profile(distance) of the light around a point.
	darken := func(x, y, reach float64, strength float64, distance func(px, py float64) float64) {
		for v := max(int(y-reach), 0); v <= min(int(y+reach)+1, height-1); v++ {
			for u := max(int(x-reach), 0); u <= min(int(x+reach)+1, width-1); u++ {
				if d := distance(float64(u), float64(v)); d < 1 {
					share := float32(1 - strength*(1-d*d)*(1-d*d))
					keep[v*width+u] = min(keep[v*width+u], share)
				}
			}
		}
	}
	w, h := float64(width), float64(height)
	draw := func(i, k int) float64 { return noise.Uniform(random.Index(streamDirt, uint64(i)<<8|uint64(k))) }
	for i := range dust {
		x, y := draw(i, 0)*w, draw(i, 1)*h
		r := math.Max(1.5, speckRadius*w*draw(i, 2)*draw(i, 2)) // many small specks
		darken(x, y, r, speckStrength*(0.3+0.7*draw(i, 3)), func(u, v float64) float64 {
			return math.Hypot(u-x, v-y) / r
		})
	}
	for i := range scratches {
		k := dust + i
		x, y := draw(k, 0)*w, draw(k, 1)*h
		s, c := math.Sincos(2 * math.Pi * draw(k, 2))
		half := scratchLength * w * (0.2 + 0.8*draw(k, 3)) / 2
		darken(x, y, half, speckStrength*(0.3+0.7*draw(k, 4)), func(u, v float64) float64 {
			along := math.Max(0, math.Abs((u-x)*c+(v-y)*s)-half)
			return math.Hypot(along, (v-y)*c-(u-x)*s) / (2 * scratchWidth)
		})
	}
	return keep
}
