package vision

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// OmniModel is the camera model of the OCamCalib toolbox. After the affine distortion has been undone, a pixel at (x,
// y) looks in the direction (x, y, f(ρ)). Here x points down and y to the right in the image, ρ is the distance of the
// pixel from the centre, and f is a polynomial. Source: Scaramuzza, Martinelli and Siegwart, "A toolbox for easily
// calibrating omnidirectional cameras", IROS 2006.
type OmniModel struct {
	Width, Height int       // pixels
	Row, Column   float64   // centre, pixels
	C, D, E       float64   // affine distortion: (row, column) = [[C, D], [E, 1]]·(x, y)
	Direct        []float64 // f(ρ) = Direct[0] + Direct[1]·ρ + …, pixels
	Inverse       []float64 // ρ as a polynomial of the angle of a direction, atan(z/√(x² + y²)), rad
}

// Ray returns the direction in which a pixel looks, not normalised. The components are: right in the image, down in the
// image, and along the camera's axis. The third component is negative at the image's centre.
func (m *OmniModel) Ray(u, v float64) mgl64.Vec3 {
	row, column := v-m.Row, u-m.Column
	det := m.C - m.D*m.E
	x, y := (row-m.D*column)/det, (m.C*column-m.E*row)/det
	rho, f := math.Hypot(x, y), 0.0
	for i := len(m.Direct) - 1; i >= 0; i-- {
		f = f*rho + m.Direct[i]
	}
	return mgl64.Vec3{y, x, f}
}

// OmniMount is the mount of a camera that sees the floor from above.
type OmniMount struct {
	X, Y, Height float64 // viewpoint in the robot's frame, m
	// Yaw turns the camera about the vertical axis, rad. At 0 the robot's front is at the top of the image. At −π/2 it
	// is on the right for a camera under a mirror.
	Yaw float64
	// Mirrored is true for a camera that looks up into a mirror, and false for a camera that looks down. Calibration
	// files do not contain this value.
	Mirrored bool
}

// Direction converts a ray of an OmniModel to the robot's frame.
func (m *OmniMount) Direction(ray mgl64.Vec3) mgl64.Vec3 {
	sin, cos := math.Sincos(m.Yaw)
	// at yaw 0 the top of the image is ahead, and a mirror shows the left on the right
	x, y, z := -ray[1], ray[0], ray[2]
	if !m.Mirrored {
		y = -y // without a mirror, the left is on the left
	}
	return mgl64.Vec3{x*cos - y*sin, x*sin + y*cos, z}
}

// Limits of a calibration file. Real files are far below these limits.
const (
	maxCoefficients = 100
	maxSide         = 8192 // pixels
	maxLine         = 16384
)

// modelReader reads the lines of a file, except for empty lines and titles.
type modelReader struct {
	lines *bufio.Scanner
	at    int // number of the line
}

// ReadOmniModel reads a calib_results.txt. An error names the line and the violated rule.
func ReadOmniModel(from io.Reader) (*OmniModel, error) {
	r := &modelReader{lines: bufio.NewScanner(from)}
	r.lines.Buffer(make([]byte, 0, 4096), maxLine)
	m := &OmniModel{}
	var err error
	if m.Direct, err = r.polynomial("direct polynomial"); err != nil {
		return nil, err
	}
	if !(m.Direct[0] < 0) {
		return nil, fmt.Errorf("line %d: direct polynomial: a0 = %v: must be negative", r.at, m.Direct[0])
	}
	if m.Inverse, err = r.polynomial("inverse polynomial"); err != nil {
		return nil, err
	}
	var center, affine, size []float64
	if center, err = r.numbers("center", 2); err != nil {
		return nil, err
	}
	if affine, err = r.numbers("affine parameters c, d, e", 3); err != nil {
		return nil, err
	}
	m.Row, m.Column, m.C, m.D, m.E = center[0], center[1], affine[0], affine[1], affine[2]
	if det := m.C - m.D*m.E; !(math.Abs(det) > 1e-6) {
		return nil, fmt.Errorf("line %d: affine parameters c = %v, d = %v, e = %v: c − d·e must not be 0", r.at, m.C,
			m.D, m.E)
	}
	if size, err = r.numbers("image size", 2); err != nil {
		return nil, err
	}
	for i, name := range []string{"height", "width"} {
		if s := size[i]; !(s >= 1 && s <= maxSide) || s != math.Trunc(s) {
			return nil, fmt.Errorf("line %d: image size: %s = %v: must be a whole number from 1 to %d", r.at, name, s,
				maxSide)
		}
	}
	m.Height, m.Width = int(size[0]), int(size[1])
	switch words, err := r.words(); {
	case err == nil:
		return nil, fmt.Errorf("line %d: %.40q: nothing must follow the image size", r.at, words[0])
	case err != io.EOF:
		return nil, err
	}
	return m, nil
}

// words returns the words of the next line that contains any. At the end of the file it returns io.EOF.
func (r *modelReader) words() ([]string, error) {
	for r.lines.Scan() {
		r.at++
		if text := strings.TrimSpace(r.lines.Text()); text != "" && text[0] != '#' {
			return strings.Fields(text), nil
		}
	}
	if err := r.lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", r.at+1, err)
	}
	return nil, io.EOF
}

// numbers reads a line of numbers. The line must contain count numbers; if count is 0, any number of numbers is
// allowed. name names the line in an error.
func (r *modelReader) numbers(name string, count int) ([]float64, error) {
	words, err := r.words()
	if err == io.EOF {
		return nil, fmt.Errorf("line %d: the file ends before %s", r.at, name)
	}
	if err != nil {
		return nil, err
	}
	if count != 0 && len(words) != count {
		return nil, fmt.Errorf("line %d: %s: has %d numbers: must have %d", r.at, name, len(words), count)
	}
	all := make([]float64, len(words))
	for i, w := range words {
		// ParseFloat accepts "1.", as the toolbox writes, but also hexadecimal numbers, underscores, inf and nan.
		x, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(w, "xX_") {
			return nil, fmt.Errorf("line %d: %s: %.40q: must be a finite number", r.at, name, w)
		}
		all[i] = x
	}
	return all, nil
}

// polynomial reads a line that contains a count and then as many coefficients.
func (r *modelReader) polynomial(what string) ([]float64, error) {
	all, err := r.numbers(what, 0)
	if err != nil {
		return nil, err
	}
	if n := all[0]; n != math.Trunc(n) || n < 1 || n > maxCoefficients {
		return nil, fmt.Errorf("line %d: %s: count %v: must be a whole number from 1 to %d", r.at, what, n,
			maxCoefficients)
	}
	if n := int(all[0]); n != len(all)-1 {
		return nil, fmt.Errorf("line %d: %s: has %d coefficients: its count says %d", r.at, what, len(all)-1, n)
	}
	return all[1:], nil
}
