package vision

import (
	"math"
)

// LinePoint is a point on the centre line of a marking.
type LinePoint struct {
	X, Y   float64 // robot's frame, m
	Across float64 // accuracy of the point: the length on the floor that a pixel covers along the scan line, m
}

// Guesses for the criteria for lines. They work for exposures from a quarter to twice the normal one: see the test of
// exposures in package locate.
const (
	lineBrighter    = 1.4  // least brightness of a line, relative to the carpet next to it, in linear light
	lineDarker      = 0.7  // least brightness of a pixel in a line, relative to the carpet
	lineBeside      = 3    // number of pixels on either side of a line that give the brightness of the carpet
	carpetTolerance = 0.07 // largest difference between the chromaticities of a carpet pixel and of the carpet
	carpetSheen     = 0.3  // how far gloss may shift the carpet's chromaticity towards white
	// A line reflects more light than the carpet. lineNeutral is the least ratio of the smallest to the largest channel
	// of this additional light.
	lineNeutral = 0.35
	// largest width of a stripe, as a share of the line's width, to which three pixels are added; a stripe is wider if
	// the scan line runs along the line
	lineTooWide = 4.0
	lineNarrow  = 0.64 // least width of a stripe, as a share of the line's width; the strings of nets are narrower
	// greyTolerance is the least distance of the carpet's chromaticity from white. Robots, boards and lines are grey.
	greyTolerance = 0.04
	carpetRadius  = 3.0  // m, distance from the centre within which most of the floor is carpet
	lineNearest   = 0.35 // m, distance from the centre within which the robot sees itself
)

// LineFinder finds field lines in the images of one camera. Along scan lines it looks for white with carpet on both
// sides. The finder measures the colour of the carpet in each image, so it needs no fixed thresholds for brightness.
type LineFinder struct {
	pixels int                                    // number of pixels of an image
	floor  func(i int) (x, y float64, shown bool) // floor point of a pixel
	width  float64                                // of lines, m
	view   *View                                  // of a camera that moves on the robot; nil for others
	reach  float64                                // for view: largest distance of a floor point from the camera, m
	rays   [][]int32                              // indices of the pixels of each scan line
	near   []int32                                // indices of the pixels that determine the carpet's colour
	linear [256]float32
	counts [chromaBins * chromaBins]int32
	ray    []linearPixel
	points []LinePoint

	red, green float32 // chromaticity of the carpet in the last image
}

// chromaBins is the number of bins of the chromaticity histogram in red and in green.
const chromaBins = 48

// linearPixel is a pixel in linear light from 0 to 1.
type linearPixel struct{ r, g, b, y float32 }

// NewLineFinder returns a finder for an omnidirectional camera, with a number of scan lines from the centre outwards.
// width is the width of lines, m.
func NewLineFinder(floor *Floor, rays int, width float64) *LineFinder {
	f := &LineFinder{pixels: floor.Width * floor.Height, floor: floor.Index, width: width,
		linear: linearTable[float32]()}
	longest := 0
	for k := range rays {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(rays))
		var ray []int32
		for rho := 1.0; rho < float64(max(floor.Width, floor.Height)); rho++ {
			u, v := int(math.Round(floor.Column+rho*cos)), int(math.Round(floor.Row+rho*sin))
			x, y, ok := floor.At(u, v)
			if i := int32(v*floor.Width + u); ok && math.Hypot(x, y) > lineNearest &&
				(len(ray) == 0 || ray[len(ray)-1] != i) {
				if ray = append(ray, i); len(ray)%4 == k%4 && math.Hypot(x, y) < carpetRadius {
					f.near = append(f.near, i)
				}
			}
		}
		if len(ray) > 2 {
			f.rays = append(f.rays, ray)
		}
		longest = max(longest, len(ray))
	}
	f.ray, f.points = make([]linearPixel, 0, longest), make([]LinePoint, 0, 4*rays)
	return f
}

// scanSpacing is the distance between scan lines of a camera with a lens, pixels.
const scanSpacing = 8

// NewLensLineFinder returns a finder for a camera with a lens, which may move on the robot. Its scan lines are columns
// and rows of the image. reach is the largest distance of a line from the camera, and width is the width of lines, m.
func NewLensLineFinder(view *View, reach, width float64) *LineFinder {
	f := &LineFinder{pixels: view.Width * view.Height, floor: view.Floor, width: width, view: view, reach: reach,
		linear: linearTable[float32]()}
	for u := scanSpacing / 2; u < view.Width; u += scanSpacing {
		var column []int32
		for v := view.Height - 1; v >= 0; v-- {
			column = append(column, int32(v*view.Width+u))
		}
		f.rays = append(f.rays, column)
	}
	for v := scanSpacing / 2; v < view.Height; v += scanSpacing {
		var row []int32
		for u := range view.Width {
			row = append(row, int32(v*view.Width+u))
		}
		f.rays = append(f.rays, row)
	}
	f.ray = make([]linearPixel, 0, max(view.Width, view.Height))
	f.points = make([]LinePoint, 0, 8*len(f.rays))
	f.near = make([]int32, 0, len(f.rays)*max(view.Width, view.Height)/scanSpacing)
	return f
}

// seen returns the part of a scan line that shows floor between lineNearest and f.reach. In the middle of a row, it may
// also show nearer floor: a row looks down most steeply there.
func (f *LineFinder) seen(ray []int32) []int32 {
	if f.view == nil {
		return ray
	}
	near, far := f.dip(lineNearest), f.dip(f.reach)
	shown := func(i int32) bool { up := f.view.up(int(i)); return up > near && up < far }
	for len(ray) > 0 && !shown(ray[0]) {
		ray = ray[1:]
	}
	for len(ray) > 0 && !shown(ray[len(ray)-1]) {
		ray = ray[:len(ray)-1]
	}
	return ray
}

// dip returns the vertical component of a direction from the view that meets the floor at a distance.
func (f *LineFinder) dip(distance float64) float64 {
	return -f.view.Pos[2] / math.Hypot(f.view.Pos[2], distance)
}

// findNear sets f.near for the present place of a camera that moves.
func (f *LineFinder) findNear() {
	f.near = f.near[:0]
	near, far := f.dip(lineNearest), f.dip(carpetRadius)
	for k, ray := range f.rays {
		ray = f.seen(ray)
		for j := k % scanSpacing; j < len(ray); j += scanSpacing {
			if up := f.view.up(int(ray[j])); up > near && up < far {
				f.near = append(f.near, ray[j])
			}
		}
	}
}

// Find returns the line points in an rgb8 image. The result is valid until the next call. It is empty for an image of
// another size.
func (f *LineFinder) Find(pix []byte) []LinePoint {
	f.points = f.points[:0]
	if len(pix) != 3*f.pixels {
		return f.points
	}
	near := math.Inf(-1)
	if f.view != nil {
		f.findNear()
		near = f.dip(lineNearest)
	}
	f.findCarpet(pix)
	for _, ray := range f.rays {
		ray = f.seen(ray)
		f.ray = f.ray[:0]
		for _, i := range ray {
			if f.view != nil && f.view.up(int(i)) <= near {
				f.ray = append(f.ray, linearPixel{}) // black is neither carpet nor line
				continue
			}
			p := pix[3*i : 3*i+3 : 3*i+3]
			f.ray = append(f.ray, f.sample(p[0], p[1], p[2]))
		}
		f.stripes(ray)
	}
	return f.points
}

func (f *LineFinder) sample(red, green, blue byte) linearPixel {
	r, g, b := f.linear[red], f.linear[green], f.linear[blue]
	return linearPixel{r, g, b, 0.2126*r + 0.7152*g + 0.0722*b} // luminance with white 1, ITU-R BT.709
}

// findCarpet sets the carpet's chromaticity to the most frequent chromaticity on the floor near the robot. Grey pixels
// do not count.
func (f *LineFinder) findCarpet(pix []byte) {
	clear(f.counts[:])
	best := 0
	for _, i := range f.near {
		if at, ok := chromaBin(f.sample(pix[3*i], pix[3*i+1], pix[3*i+2])); ok {
			if f.counts[at]++; f.counts[at] > f.counts[best] {
				best = at
			}
		}
	}
	// Mean of the fullest bin and its neighbours.
	var n, r, g float32
	for dr := -1; dr <= 1; dr++ {
		for dg := -1; dg <= 1; dg++ {
			i, j := best/chromaBins+dr, best%chromaBins+dg
			if i >= 0 && j >= 0 && i < chromaBins && j < chromaBins {
				c := float32(f.counts[i*chromaBins+j])
				n, r, g = n+c, r+c*(float32(i)+0.5)/chromaBins, g+c*(float32(j)+0.5)/chromaBins
			}
		}
	}
	f.red, f.green = r/max(n, 1), g/max(n, 1)
}

// chromaBin returns the index of the histogram bin of a pixel's chromaticity. ok is false if the pixel is grey or
// almost black.
func chromaBin(s linearPixel) (at int, ok bool) {
	sum := s.r + s.g + s.b
	if sum < 0.003 {
		return 0, false
	}
	r, g := s.r/sum, s.g/sum
	if dr, dg, db := r-1./3, g-1./3, 2./3-r-g; max(dr, -dr, dg, -dg, db, -db) < greyTolerance {
		return 0, false
	}
	return min(int(r*chromaBins), chromaBins-1)*chromaBins + min(int(g*chromaBins), chromaBins-1), true
}

// isCarpet reports whether a pixel has the carpet's chromaticity, or a mixture of the carpet's chromaticity with white.
// The fraction of white is at most carpetSheen.
func (f *LineFinder) isCarpet(s *linearPixel) bool {
	sum := s.r + s.g + s.b
	if sum == 0 {
		return false
	}
	dr, dg := s.r/sum-f.red, s.g/sum-f.green
	wr, wg := 1./3-f.red, 1./3-f.green
	if along := (dr*wr + dg*wg) / (wr*wr + wg*wg); along > 0 {
		along = min(along, carpetSheen)
		dr, dg = dr-along*wr, dg-along*wg
	}
	return dr < carpetTolerance && -dr < carpetTolerance && dg < carpetTolerance && -dg < carpetTolerance
}

// isWhite reports whether the light that a pixel has in addition to the carpet's light is colourless. A pixel of a
// distant line shows both the line and the carpet.
func isWhite(s, carpet *linearPixel) bool {
	r, g, b := s.r-carpet.r, s.g-carpet.g, s.b-carpet.b
	return min(r, g, b) > lineNeutral*max(r, g, b)
}

// stripes adds the line points of a scan line. A line point is in the centre of a white stripe that has carpet on both
// sides.
func (f *LineFinder) stripes(pixels []int32) {
	before := -1 // index of the last carpet pixel
	for i := range f.ray {
		if !f.isCarpet(&f.ray[i]) {
			continue
		}
		if before >= 0 && i > before+1 {
			f.stripe(pixels, before, i)
		}
		before = i
	}
}

// stripe decides whether the pixels between two carpet pixels show a line. If so, it adds the centre of the line.
func (f *LineFinder) stripe(pixels []int32, before, after int) {
	ray := f.ray
	// Measure the brightness of the carpet a little away from the line, because a pixel at the edge also shows some of
	// the line.
	left, right := before, after
	for k := 1; k <= lineBeside; k++ {
		if i := before - k; i >= 0 && f.isCarpet(&ray[i]) && ray[i].y < ray[left].y {
			left = i
		}
		if i := after + k; i < len(ray) && f.isCarpet(&ray[i]) && ray[i].y < ray[right].y {
			right = i
		}
	}
	a, b, top := &ray[left], &ray[right], before+1
	for i := before + 1; i < after; i++ {
		if ray[i].y > ray[top].y {
			top = i
		}
		if ray[i].y < lineDarker*min(a.y, b.y) { // an object
			return
		}
	}
	peak := &ray[top]
	if peak.y < lineBrighter*max(a.y, b.y) || !isWhite(peak, a) || !isWhite(peak, b) {
		return
	}
	// The line ends where a pixel shows half line and half carpet.
	rise, fall := (a.y+peak.y)/2, (b.y+peak.y)/2
	i, j := top, top
	for i > left && ray[i].y > rise {
		i--
	}
	for j < right && ray[j].y > fall {
		j++
	}
	x0, y0 := f.edge(pixels, i, i+1, rise)
	x1, y1 := f.edge(pixels, j, j-1, fall)
	nx, ny, _ := f.floor(int(pixels[top-1]))
	mx, my, _ := f.floor(int(pixels[top+1]))
	across := math.Hypot(mx-nx, my-ny) / 2
	if wide := math.Hypot(x1-x0, y1-y0); wide > lineNarrow*f.width && wide < lineTooWide*f.width+3*across {
		f.points = append(f.points, LinePoint{(x0 + x1) / 2, (y0 + y1) / 2, across})
	}
}

// edge returns the floor point between two pixels of a scan line at which the brightness reaches a level. The pixel
// dark is darker than the level, and the pixel light is brighter.
func (f *LineFinder) edge(pixels []int32, dark, light int, level float32) (x, y float64) {
	from, to := f.ray[dark].y, f.ray[light].y
	share := float64((level - from) / (to - from))
	x0, y0, _ := f.floor(int(pixels[dark]))
	x1, y1, _ := f.floor(int(pixels[light]))
	return x0 + share*(x1-x0), y0 + share*(y1-y0)
}
