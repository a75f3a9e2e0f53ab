package main

import (
	"encoding/binary"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// omniVision reads the files of `calibration --format nubot` and localises with them, like a node of team NuBot. It was
// written from the description of the format (docs/calibration.md). It knows nothing else about the camera and the
// field.
type omniVision struct {
	roi, mirror   map[string]float64 // contents of ROI.xml and mirror_calib.xml
	columns, rows int                // size of the tables
	distance      []float64          // cm to the nearest line, on a grid of one centimetre
	diffX, diffY  []float64
	colors        []byte // CTable.dat; nil if there is none
}

// newOmniVision reads the folder of the robot with a number. length and width are those of the field in metres.
func newOmniVision(t *testing.T, folder string, number int, length, width float64) *omniVision {
	t.Helper()
	own := filepath.Join(folder, strconv.Itoa(number))
	n := &omniVision{columns: int(100*length) + 201, rows: int(100*width) + 201}
	n.roi, n.mirror = readStorage(t, filepath.Join(own, "ROI.xml")),
		readStorage(t, filepath.Join(own, "mirror_calib.xml"))
	for name, into := range map[string]*[]float64{"errortable.bin": &n.distance, "Diff_X.bin": &n.diffX,
		"Diff_Y.bin": &n.diffY} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || len(text) != 8*n.columns*n.rows {
			t.Fatalf("%s: %d bytes, want %d; %v", name, len(text), 8*n.columns*n.rows, err)
		}
		for i := 0; i < len(text); i += 8 {
			*into = append(*into, math.Float64frombits(binary.LittleEndian.Uint64(text[i:])))
		}
	}
	colors, err := os.ReadFile(filepath.Join(own, "CTable.dat"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	n.colors = colors
	return n
}

// readStorage reads the numbers of a cv::FileStorage XML file.
func readStorage(t *testing.T, path string) map[string]float64 {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	d, key, numbers := xml.NewDecoder(f), "", map[string]float64{}
	for {
		switch token, err := d.Token(); token := token.(type) {
		case nil:
			if err != io.EOF || len(numbers) == 0 {
				t.Fatalf("%s: %d numbers, %v", path, len(numbers), err)
			}
			return numbers
		case xml.StartElement:
			key = token.Name.Local
		case xml.CharData:
			if x, err := strconv.ParseFloat(strings.TrimSpace(string(token)), 64); err == nil {
				numbers[key] = x
			}
		}
	}
}

func readImage(t *testing.T, path string) image.Image {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	im := must.Get(png.Decode(f))(t)
	return im
}

// floor returns the point of the floor that a pixel shows: x ahead of the robot's mirror, y to its left, cm.
func (n *omniVision) floor(u, v float64) (x, y float64) {
	du, dv := u-n.mirror["center_coloum"], v-n.mirror["center_row"]
	rho := math.Hypot(du, dv)
	d := 100 * n.mirror["para_a"] * math.Tan(n.mirror["para_b"]*rho)
	return d * du / rho, d * dv / rho
}

// ball returns the region that the node takes for the ball, and the position at which it places the ball in the robot's
// frame: x ahead, y to the left, cm.
func (n *omniVision) ball(im *render.Image) (a region, at mgl64.Vec2, ok bool) {
	for _, a := range ballRegions(im, n.colors, yuvCell, 15) {
		u, v := float64(a.sumX/a.pixels), float64(a.sumY/a.pixels)
		x, y := n.floor(u, v)
		// The node takes a region for the outer half of the ball, whose centre is a quarter of the ball's height
		// farther inwards. It truncates the height and the quarter, and then their components.
		height := math.Trunc(35.6921 - 0.0348*math.Hypot(x, y)) // pixels
		inwards := math.Trunc(height / 4)
		sin, cos := math.Sincos(math.Atan2(y, x))
		u, v = u-math.Trunc(inwards*cos), v-math.Trunc(inwards*sin)
		rho := math.Hypot(u-n.roi["center_point_column"], v-n.roi["center_point_row"])
		width, rows := float64(a.x1-a.x0+1), float64(a.y1-a.y0+1)
		if rho < 120 && a.pixels < 70 || float64(a.pixels) < 0.2*width*rows || rows < 0.2*width || rows > 5*width {
			continue
		}
		return a, n.groundBelow(u, v), true
	}
	return region{}, mgl64.Vec2{}, false
}

// groundBelow returns the point of the floor below a ball whose centre is at a pixel, in the robot's frame: x ahead, y
// to the left, cm.
func (n *omniVision) groundBelow(u, v float64) mgl64.Vec2 {
	const mirror, radius = 78, 11 // height of the mirror and radius of the ball that the node assumes, cm
	x, y := n.floor(u, v)
	return mgl64.Vec2{x, y}.Mul(float64(mirror-radius) / mirror).Sub(
		mgl64.Vec2{n.mirror["correction_x"], n.mirror["correction_y"]})
}

// yuvCell returns the index of a colour in CTable.dat.
func yuvCell(r, g, b byte) int {
	y := math.Round(0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b))
	clip := func(x float64) int { return int(min(max(math.Round(x), 0), 255)) }
	return int(y)/4*64*64 + clip(0.492*(float64(b)-y)+128)/4*64 + clip(0.877*(float64(r)-y)+128)/4
}

// whitePoint is the middle of a line on the floor, in cm, and its weight.
type whitePoint struct{ x, y, weight float64 }

// whites finds lines along 360 rays from the inner circle to the outer one. A line is brighter than the carpet on both
// sides.
func (n *omniVision) whites(im image.Image) (all []whitePoint) {
	for degree := range 360 {
		sin, cos := math.Sincos(float64(degree) * math.Pi / 180)
		at := func(rho float64) (u, v float64) {
			return n.roi["center_point_column"] + rho*cos, n.roi["center_point_row"] + rho*sin
		}
		var ray []pixel
		for rho := n.roi["small_radius"]; rho < n.roi["big_radius"]; rho++ {
			u, v := at(rho)
			ray = append(ray, pixelAt(im, u, v))
		}
		for _, s := range stripes(ray) {
			x0, y0 := n.floor(at(n.roi["small_radius"] + s[0]))
			x1, y1 := n.floor(at(n.roi["small_radius"] + s[1]))
			x, y := (x0+x1)/2, (y0+y1)/2
			all = append(all, whitePoint{x, y, (150*150 + 250*250) / (250*250 + x*x + y*y)})
		}
	}
	return all
}

// pixel is the luminance of a pixel, and whether it has the colour of the carpet.
type pixel struct {
	y     float64
	green bool
}

func pixelAt(im image.Image, u, v float64) pixel {
	r, g, b, _ := im.At(int(math.Round(u)), int(math.Round(v))).RGBA()
	const much = 15 * 257
	return pixel{(0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 257, g > r+much && g > b+much}
}

// stripes returns the start and end of each white stripe on the carpet along a ray.
func stripes(ray []pixel) (all [][2]float64) {
	const contrast, white = 20, 150 // the grey rods of the mirror are brighter than the carpet too
	// Alternating minima and maxima that differ by more than the contrast.
	turns := []int{0}
	bright := false // whether the last is a maximum
	for i, p := range ray {
		last := &turns[len(turns)-1]
		switch up := p.y - ray[*last].y; {
		case bright == (up > 0):
			*last = i
		case math.Abs(up) > contrast:
			turns, bright = append(turns, i), !bright
		}
	}
	for k := 1; k+1 < len(turns); k += 2 {
		left, top, right := turns[k-1], turns[k], turns[k+1]
		if !ray[left].green || !ray[right].green || ray[top].y < white {
			continue
		}
		half := (ray[left].y+ray[right].y)/4 + ray[top].y/2
		i, j := top, top
		for i > left && ray[i].y > half {
			i--
		}
		for j < right && ray[j].y > half {
			j++
		}
		if ray[i].y > half || ray[j].y > half || i == top || j == top {
			continue
		}
		between := func(a, b int) float64 { // position between a, the darker, and b with half the brightness
			return float64(a) + float64(b-a)*(half-ray[a].y)/(ray[b].y-ray[a].y)
		}
		all = append(all, [2]float64{between(i, i+1), between(j, j-1)})
	}
	return all
}

// planarPose is a pose on the field, in cm and rad.
type planarPose struct{ x, y, heading float64 }

// localise returns the pose of the robot's centre that fits the white points best. It searches from a first guess, and
// from guesses 60 cm and 10° away.
func (n *omniVision) localise(points []whitePoint, guess planarPose) planarPose {
	const coarse, fine = 250, 60 // cm: scale of the distances that count; the first is NuBot's
	best, least := guess, math.Inf(1)
	for _, beside := range [][2]float64{{0, 0}, {60, 0}, {-60, 0}, {0, 60}, {0, -60}} {
		for _, turned := range []float64{0, 0.2, -0.2} {
			p := planarPose{guess.x + beside[0], guess.y + beside[1], guess.heading + turned}
			for range 30 {
				p, _ = n.improved(points, p, coarse*coarse)
			}
			for range 30 {
				p, _ = n.improved(points, p, fine*fine)
			}
			if _, cost := n.improved(points, p, fine*fine); cost < least {
				best, least = p, cost
			}
		}
	}
	sin, cos := math.Sincos(best.heading)
	x, y := n.mirror["correction_x"], n.mirror["correction_y"]
	return planarPose{best.x + x*cos - y*sin, best.y + x*sin + y*cos, best.heading}
}

// improved takes a Gauss–Newton step. cost is the sum of weight·(1 − c²/(c² + distance²)) before the step.
func (n *omniVision) improved(points []whitePoint, p planarPose, c2 float64) (next planarPose, cost float64) {
	var a mgl64.Mat3
	var b mgl64.Vec3
	sin, cos := math.Sincos(p.heading)
	for _, w := range points {
		rx, ry := w.x*cos-w.y*sin, w.x*sin+w.y*cos
		i, j := int(math.Round(p.x+rx))+(n.columns-1)/2, int(math.Round(p.y+ry))+(n.rows-1)/2
		if i < 0 || j < 0 || i >= n.columns || j >= n.rows {
			cost += w.weight
			continue
		}
		e, gx, gy := n.distance[j*n.columns+i], n.diffX[j*n.columns+i], n.diffY[j*n.columns+i]
		slope := mgl64.Vec3{gx, gy, gy*rx - gx*ry}
		weight := w.weight * c2 * c2 / ((c2 + e*e) * (c2 + e*e))
		cost += w.weight * e * e / (c2 + e*e)
		a = a.Add(slope.OuterProd3(slope).Mul(weight))
		b = b.Add(slope.Mul(weight * e))
	}
	for i := range 3 {
		a[4*i] *= 1.001
	}
	step := a.Inv().Mul3x1(b)
	return planarPose{p.x - step[0], p.y - step[1], p.heading - step[2]}, cost
}
