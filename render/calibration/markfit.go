package calibration

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// MarkFit is a camera model that was fitted to marks.
type MarkFit struct {
	Name   string // of the kind of model
	Camera optics.Model
	PoseCP []spatial.Pose // pose of the plane in the optical frame, for each view
	Residual
	Median float64 // of the distances between the marks' pixels and the model's, pixels
	free   int     // number of fitted parameters
}

// lensKind is a kind of camera model that can be fitted to marks.
type lensKind struct {
	name string
	// more holds the parameters to start with that follow the first four: focal length, its vertical part relative to
	// the horizontal one, and principal point. focus is the focal length relative to that of a fisheye lens.
	focus float64
	more  []float64
	build func(width, height int, p []float64) (optics.Model, error)
}

// aspect is the index of the relative vertical focal length among the parameters.
const aspect = 1

func pinhole(width, height int, p []float64) optics.Pinhole {
	return optics.Pinhole{Width: width, Height: height, FX: p[0], FY: p[0] * p[aspect], CX: p[2], CY: p[3]}
}

// lensKinds lists the kinds, from the one with the fewest parameters on.
var lensKinds = []lensKind{
	{"pinhole", 1, nil,
		func(w, h int, p []float64) (optics.Model, error) { return pinhole(w, h, p), nil }},
	{"fisheye", 1, make([]float64, 4),
		func(w, h int, p []float64) (optics.Model, error) {
			return optics.NewKannalaBrandt(pinhole(w, h, p), p[4], p[5], p[6], p[7])
		}},
	{"brown-conrady", 1, make([]float64, 5),
		func(w, h int, p []float64) (optics.Model, error) {
			return optics.NewBrownConrady(pinhole(w, h, p),
				optics.Distortion{K1: p[4], K2: p[5], P1: p[6], P2: p[7], K3: p[8]})
		}},
	{"unified", 2, []float64{1, 0, 0},
		func(w, h int, p []float64) (optics.Model, error) {
			return optics.NewUnified(pinhole(w, h, p), p[4], 0, optics.Distortion{K1: p[5], K2: p[6]})
		}},
	// f(ρ) = f·(−1 + a2·(ρ/f)² + …): coefficients of ρ itself would have sizes of 1e-3 to 1e-10.
	{"ocamcalib", 1, []float64{0.3, 0, 0},
		func(w, h int, p []float64) (optics.Model, error) {
			f, poly := p[0], []float64{-p[0], 0, 0, 0, 0}
			for i := 2; i <= 4; i++ {
				f *= p[0]
				poly[i] = p[i+2] / f * p[0]
			}
			return optics.NewOCam(optics.OCam{Width: w, Height: h, CX: p[2], CY: p[3], C: p[aspect], Poly: poly})
		}},
}

// focalLengths are the focal lengths that fits start with, in widths of the image: those of lenses with angles of view
// of 37° to 200°, and of mirrors.
var focalLengths = []float64{0.15, 0.3, 0.5, 0.8, 1.5}

// FitMarks fits each kind of camera model to marks, together with the pose of their plane in each view. width and
// height are those of the image, in pixels. The fit with the smallest Akaike information criterion, which weighs errors
// against the number of parameters, comes first. Kinds that cannot describe the marks are left out; FitMarks fails if
// none can. Marks on the outermost pixels of the image are left out: programs put marks there that
// are beyond the image.
//
// Source of the poses to start with: Zhang, "A flexible new technique for camera calibration", 2000, with rays instead
// of pixels.
func FitMarks(marks []Mark, views, width, height int) ([]MarkFit, error) {
	marks, err := inside(marks, views, width, height)
	if err != nil {
		return nil, err
	}
	var fits []MarkFit
	for i := range lensKinds {
		if fit, ok := fitKind(&lensKinds[i], marks, views, width, height); ok {
			fits = append(fits, fit)
		}
	}
	if len(fits) == 0 {
		return nil, errors.New("no camera model can see the marks where they are: check that x_m and y_m belong to the " +
			"pixels, and that the marks of a view are not on one line")
	}
	slices.SortStableFunc(fits, func(a, b MarkFit) int { return cmp.Compare(a.akaike(), b.akaike()) })
	return fits, nil
}

// akaike returns Akaike's information criterion for errors with a normal distribution of unknown width.
func (f *MarkFit) akaike() float64 {
	const exact = 1e-9 // px, below which errors are of rounding
	return 2*float64(2*f.N)*math.Log(math.Max(f.RMS, exact)) + 2*float64(f.free)
}

// LensKinds returns the names of the kinds of camera models that FitMarks fits.
func LensKinds() (names []string) {
	for i := range lensKinds {
		names = append(names, lensKinds[i].name)
	}
	return names
}
