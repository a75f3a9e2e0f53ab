package vision

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// What may be a card. Guesses.
const (
	cardShortest = 5    // pixels, of the tallest column
	cardThinnest = 2    // columns
	cardWidest   = 2    // of its height: motion blurs a square to as much
	cardFullest  = 0.6  // least share of its outline's pixels that have its colour: the rest is the number
	cardNarrow   = 0.6  // least width of the widest card of a robot, of its height: turned by 45° it is 0.7
	cardOffLevel = 0.04 // m by which it may hang other than it should,
	cardOffTilt  = 0.01 // and rad by which the camera may be tilted
)

// card is one that is seen.
type card struct {
	color   Class
	bearing float64 // of its middle, rad to the left
	width   float64 // angle that it covers, rad
	elevation
	taken bool // a robot has it
}

// cardColumn is one of a card's: its angle, and where its ends are.
type cardColumn struct {
	bearing      float64
	height       float64 // rows
	upper, lower float64 // tangents of the ends' angles above the horizon
}

// look measures a blob as a card; false if it is none.
func (f *CardFinder) look(pix []byte, b *Blob, color Class) (c card, ok bool) {
	// it goes on outside of the image
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
	for i := range f.columns { // the middle of what is covered
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
	return c, f.likely(&c)
}

// likely tells whether what is seen is as wide as a card may be, and hangs as high.
func (f *CardFinder) likely(c *card) bool {
	d := f.measures.bySize(&c.elevation)
	hangs := f.view.Pos[2] + d*c.middle()
	return d > cardNearest && d < cardFarthest && c.width*d < cardWidest*f.measures.Size &&
		math.Abs(hangs-f.measures.Height) < cardOffLevel+cardOffTilt*d
}

// ends returns the first and the last row of a blob's column that have its colour; the first is below the last if there
// is none.
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

// edge returns where a card ends in a column, between rows: so far beyond rows that are all of the card as those at its
// end, from the outermost inwards by step, have parts of its colour.
func (f *CardFinder) edge(pix []byte, u, end, other, step int, color Class) float64 {
	at := func(k int) float64 {
		v := min(max(end+k*step, 0), f.view.Height-1)
		return f.signal(pix, v*f.view.Width+u, color)
	}
	inner := 1 // the first row that is all of the card
	if (other-end)*step >= 9 {
		inner = 2 // two, if the number is as far away as it is on a card of ten rows
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

// tangent returns that of a ray's angle above the horizon.
func tangent(ray mgl64.Vec3) float64 { return ray[2] / math.Hypot(ray[0], ray[1]) }

// cardEdgeScale is how far from the line through an edge a column's end counts half, pixels.
const cardEdgeScale = 1.0

// line returns where the line through an edge's ends is at a bearing: least squares in which a column counts by c⁴/(c²
// + e²)², so that what hides a part of the edge, as a camera on an arm does, has no say (Geman and McClure). It begins
// with a level line at a quantile.
func (f *CardFinder) line(columns []cardColumn, bearing, pixel float64, end func(*cardColumn) float64, quantile float64) float64 {
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
