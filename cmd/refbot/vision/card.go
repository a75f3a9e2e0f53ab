package vision

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Limits for cards. Guesses.
const (
	cardShortest = 5 // pixels, least height of a card's tallest column
	cardThinnest = 2 // columns, least width of a card
	cardWidest   = 2 // largest width of a card, in heights of the card; motion blur can widen a square this much
	// cardFullest is the least fraction of the pixels inside the outline that have the card's colour. The others show
	// the printed number.
	cardFullest  = 0.6
	cardNarrow   = 0.6  // least width of a robot's widest card, in heights of the card; a card turned by 45° has 0.7
	cardOffLevel = 0.04 // m, part of the largest error of a card's height that does not depend on the distance
	cardOffTilt  = 0.01 // rad, largest tilt of the camera; the part of the error that is proportional to the distance
)

// card is a detected card.
type card struct {
	color   Class
	bearing float64 // bearing of the centre, rad to the left
	width   float64 // angular width, rad
	elevation
	deep, deepError float64 // distance along the floor by depth and its standard deviation, m; 0 without depth
	taken           bool    // it is assigned to a robot
}

// cardColumn is a column of a card in the image.
type cardColumn struct {
	bearing      float64
	height       float64 // rows
	upper, lower float64 // tangents of the elevation angles of the ends
}

// measure returns the measurements of the card that a blob shows. ok is false if the blob is not a whole card.
func (f *CardFinder) measure(pix []byte, b *Blob, color Class) (c card, ok bool) {
	// the card extends beyond the image
	if b.Left == 0 || b.Top == 0 || b.Right == f.view.Width-1 || b.Bottom == f.view.Height-1 {
		return c, false
	}
	if b.Right-b.Left+1 < cardThinnest || b.Bottom-b.Top+1 < cardShortest {
		return c, false
	}
	f.columns = f.columns[:0]
	tallest, outline, turned := 0.0, 0.0, 0.0
	for u := b.Left; u <= b.Right; u++ {
		top, bottom := f.ends(u, b, color)
		if top > bottom {
			continue
		}
		height := float64(bottom - top + 1)
		tallest, outline = max(tallest, height), outline+height
		ray, ok1 := f.view.At(float64(u), float64(top+bottom)/2)
		upper, ok2 := f.view.At(float64(u), f.edge(pix, u, top, bottom, 1, color))
		lower, ok3 := f.view.At(float64(u), f.edge(pix, u, bottom, top, -1, color))
		if !ok1 || !ok2 || !ok3 {
			return c, false
		}
		f.columns = append(f.columns, cardColumn{math.Atan2(ray[1], ray[0]), height, tangent(upper), tangent(lower)})
	}
	if tallest < cardShortest || float64(b.Pixels) < cardFullest*outline || len(f.columns) < cardThinnest {
		return c, false
	}
	first, last := &f.columns[0], &f.columns[len(f.columns)-1]
	step := math.Abs(last.bearing-first.bearing) / float64(len(f.columns)-1)
	c.color, c.width = color, outline/tallest*step
	for i := range f.columns { // bearing of the centre: the mean of the columns, weighted by height
		turned += f.columns[i].height * (f.columns[i].bearing - first.bearing)
	}
	c.bearing = first.bearing + turned/outline
	here, _ := f.view.At(b.U, b.V)
	below, _ := f.view.At(b.U, b.V+1)
	c.pixel = below.Sub(here).Len()
	tall := f.columns[:0]
	for _, k := range f.columns {
		if k.height >= 0.5*tallest {
			tall = append(tall, k)
		}
	}
	c.upper = f.line(tall, c.bearing, c.pixel, func(k *cardColumn) float64 { return k.upper }, 0.7)
	c.lower = f.line(tall, c.bearing, c.pixel, func(k *cardColumn) float64 { return k.lower }, 0.3)
	if f.depth != nil {
		f.deepen(&c, b)
	}
	return c, f.likely(&c)
}

// likely reports whether the width and the height of a card are plausible.
func (f *CardFinder) likely(c *card) bool {
	d := f.measures.bySize(&c.elevation)
	hangs := f.view.Pos[2] + d*c.middle()
	farthest := cardFarthest
	if c.deep > 0 {
		farthest = cardDeepest
	}
	return d > cardNearest && d < farthest && c.width*d < cardWidest*f.measures.Size &&
		math.Abs(hangs-f.measures.Height) < cardOffLevel+cardOffTilt*d
}

// ends returns the first and the last row with the color in column u of a blob. If there is no such row, top > bottom.
func (f *CardFinder) ends(u int, b *Blob, color Class) (top, bottom int) {
	top, bottom = b.Top, b.Bottom
	for top <= bottom && f.classes[top*f.view.Width+u] != color {
		top++
	}
	for bottom >= top && f.classes[bottom*f.view.Width+u] != color {
		bottom--
	}
	return top, bottom
}

// edge returns the row at which a card ends in the column u, with a fraction of a row. edge adds up how much of the
// card's colour the outermost rows show, relative to rows that are entirely on the card. end is the outermost row with
// the card's colour, other is the row at the opposite end, and step (1 or −1) leads from end towards other.
func (f *CardFinder) edge(pix []byte, u, end, other, step int, color Class) float64 {
	at := func(k int) float64 {
		v := min(max(end+k*step, 0), f.view.Height-1)
		return f.signal(pix, v*f.view.Width+u, color)
	}
	inner := 1 // inner is the first row that is entirely on the card, counted from the end
	if (other-end)*step >= 9 {
		inner = 2 // a tall card has two rows before its printed number
	}
	whole, part := at(inner), 0.0
	if inner == 2 {
		whole = (whole + at(3)) / 2
	}
	for k := -1; k < inner; k++ {
		part += min(1, at(k)/max(whole, 1e-6))
	}
	return float64(end) + float64(step)*(float64(inner)-0.5-part)
}

// tangent returns the tangent of the elevation angle of a ray.
func tangent(ray mgl64.Vec3) float64 { return ray[2] / math.Hypot(ray[0], ray[1]) }

// cardEdgeScale is the scale c of the robust weight of a column's end, pixels.
const cardEdgeScale = 1.0

// line fits a straight line to the upper or lower ends of the columns, and returns the line's value at a bearing. The
// function end returns the end of a column. The weight of a column with the error e is c⁴/(c² + e²)² (Geman and
// McClure), so an occluded part of the edge has little influence. The fit starts with a level line at the given
// quantile of the ends. pixel is the angular size of a pixel, in rad.
func (f *CardFinder) line(columns []cardColumn, bearing, pixel float64, end func(*cardColumn) float64,
	quantile float64) float64 {
	f.sorted = f.sorted[:0]
	for i := range columns {
		f.sorted = append(f.sorted, end(&columns[i]))
	}
	slices.Sort(f.sorted)
	a, b := f.sorted[int(quantile*float64(len(f.sorted)-1)+0.5)], 0.0
	c2 := cardEdgeScale * pixel * cardEdgeScale * pixel
	for range 6 {
		var n, x, y, xx, xy float64
		for i := range columns {
			dx, dy := columns[i].bearing-bearing, end(&columns[i])
			e := dy - a - b*dx
			w := c2 / (c2 + e*e)
			w *= w
			n, x, y, xx, xy = n+w, x+w*dx, y+w*dy, xx+w*dx*dx, xy+w*dx*dy
		}
		det := n*xx - x*x
		if !(det > 1e-9*n*n*pixel*pixel) { // too few columns for a slope
			return y / n
		}
		a, b = (xx*y-x*xy)/det, (n*xy-x*y)/det
	}
	return a
}

// Thresholds for the colours of cards, in linear light. Cyan has little red, and magenta has little green. The
// thresholds work without a colour table, for lamps from 2,700 to 7,500 K, and for gloss that adds 10 % of white. They
// exclude carpet, whose blue is hardly stronger than its red. They also exclude red, orange and blue skins of robots,
// which have only one strong colour.
const (
	darkest     = 0.012 // least light of the two strong colours, where white is 1; below, noise dominates
	lackCyan    = 0.40  // largest red, relative to the smaller of green and blue
	lackMagenta = 0.55  // largest green, relative to the smaller of red and blue
)

// Ranges of blue over green in cyan, and of blue over red in magenta.
var (
	blueOfCyan    = [2]float32{0.45, 2.6}
	blueOfMagenta = [2]float32{0.10, 2.0}
)

// classifyCard returns the class of a pixel: ClassCyan, ClassMagenta or ClassUnknown.
func classifyCard(r, g, b float32) Class {
	switch {
	case r < lackCyan*min(g, b) && min(g, b) > darkest && b > blueOfCyan[0]*g && b < blueOfCyan[1]*g:
		return ClassCyan
	case g < lackMagenta*min(r, b) && min(r, b) > darkest && b > blueOfMagenta[0]*r && b < blueOfMagenta[1]*r:
		return ClassMagenta
	}
	return ClassUnknown
}

// signal returns how much of a card's colour a pixel contains. It is 0 for grey.
func (f *CardFinder) signal(pix []byte, i int, color Class) float64 {
	r, g, b := f.linear[pix[3*i]], f.linear[pix[3*i+1]], f.linear[pix[3*i+2]]
	if color == ClassCyan {
		return float64(max(0, min(g, b)-r))
	}
	return float64(max(0, min(r, b)-g))
}

// segment classifies the pixels that may show a card.
func (f *CardFinder) segment(pix []byte) {
	for v, s := range f.spans {
		for i := v*f.view.Width + s[0]; i < v*f.view.Width+s[1]; i++ {
			p := pix[3*i : 3*i+3 : 3*i+3]
			f.classes[i] = classifyCard(f.linear[p[0]], f.linear[p[1]], f.linear[p[2]])
		}
	}
}

// CardMeasures are the dimensions of a robot's colour cards, which are squares that face four sides.
type CardMeasures struct {
	Height float64 // height of the centre of a card over the floor, m
	Size   float64 // length of a card's sides, m
	Offset float64 // distance of a card from the robot's centre, m
}

// NuBotCards are the dimensions of the cards of the robot model nubot, measured on the model.
var NuBotCards = CardMeasures{Height: 0.421, Size: 0.18, Offset: 0.1425}

// Errors of measurement. Guesses.
const (
	edgeError = 0.15  // error of the position of a card's edge, pixels
	tiltError = 0.002 // error of the camera's pitch, rad
)

// elevation holds the tangents of the elevation angles of a card's upper and lower edge, and the angular size of a
// pixel, in rad.
type elevation struct{ upper, lower, pixel float64 }

func (e *elevation) middle() float64 { return (e.upper + e.lower) / 2 }

// byHeight returns the horizontal distance D of a card from the camera, in m, computed from the elevation of the card's
// centre alone. D is (Height − height)/tan, where height is the height of the camera and tan is the tangent of the
// elevation angle. An angular error δ causes an error of D²/|Height − height|·δ. At equal heights, or if the angle has
// the wrong sign, byHeight returns +Inf. Source: Dai et al. 2016, equation 1.
func (m *CardMeasures) byHeight(e *elevation, height float64) float64 {
	if d := (m.Height - height) / e.middle(); d > 0 {
		return d
	}
	return math.Inf(1)
}

// bySize returns the horizontal distance D of a card from the camera, in m, computed from the card's apparent size. The
// tangents of the elevations of the card's upper and lower edge differ by Size/D.
func (m *CardMeasures) bySize(e *elevation) float64 { return m.Size / (e.upper - e.lower) }

// distance combines the distances of byHeight and bySize, weighted by their accuracy. It returns the combined distance
// D and its standard deviation, in m. Both methods measure 1/D. The error of 1/D is an angular error divided by |Height
// − height| for byHeight, and divided by Size for bySize.
func (m *CardMeasures) distance(e *elevation, height float64) (d, deviation float64) {
	edge := edgeError * e.pixel
	over := m.Height - height
	height2 := over / (edge*edge/2 + tiltError*tiltError) // over²/variance, divided by over
	size2 := m.Size / (2 * edge * edge)
	weight := height2*over + size2*m.Size
	d = weight / (height2*e.middle() + size2*(e.upper-e.lower))
	return d, d * d / math.Sqrt(weight)
}
