package contour

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Outline is a list of closed lines around a part of an image, in pixels: one line around each connected piece of the
// part and one line around each hole.
type Outline [][][2]float64

// Visible returns the outline of the visible part of a target, which may be empty.
func (im *Image) Visible(target int) Outline { return im.outline(target, false) }

// Hidden returns the outline of the part of a target that is within the image but occluded.
func (im *Image) Hidden(target int) Outline { return im.outline(target, true) }

func (im *Image) outline(target int, hidden bool) Outline {
	r := &im.targets[target]
	if r.body == nil || r.first > r.last {
		return nil
	}
	var buf [mostHiders]*region
	hiders := im.hidersOf(r, &r.extent, buf[:0])
	if r.body.Code < 0 { // e.g. a goal post, which is part of scenery; scenery does not hide it
		hiders = slices.DeleteFunc(hiders, func(o *region) bool { return o.body.Target < 0 })
	}
	own := im.own.overlaps(&r.extent)
	if hidden && len(hiders) == 0 && !own {
		return nil
	}
	rows := make([][]span, r.last-r.first+1)
	for i := range rows {
		v := r.first + i
		all := r.rows[v]
		all.subtract(float32(math.Inf(-1)), -0.5)
		all.subtract(float32(im.camera.width)-0.5, float32(math.Inf(1)))
		seen := all
		for _, o := range hiders {
			seen.without(o, v)
		}
		if own {
			im.own.subtractFrom(&seen, v)
		}
		if hidden {
			for k := range seen.n {
				all.subtract(seen.at[k].from, seen.at[k].to)
			}
			seen = all
		}
		rows[i] = append([]span(nil), seen.at[:seen.n]...)
	}
	return trace(rows, r.first)
}

// Outline returns the outline of the mask.
func (m *Mask) Outline() Outline {
	if m == nil || m.first > m.last {
		return nil
	}
	rows := make([][]span, m.last-m.first+1)
	for i := range rows {
		for _, r := range m.rows[m.first+i] {
			from, to := float32(r.from)-0.5, float32(r.to)+0.5
			if n := len(rows[i]); n > 0 && rows[i][n-1].to >= from {
				rows[i][n-1].to = to
				continue
			}
			rows[i] = append(rows[i], span{from, to})
		}
	}
	return trace(rows, m.first)
}

// Rim returns the outline of the pixels to which the camera model assigns a direction, such as the disc of a mirror. It
// returns nil if the model assigns a direction to every pixel.
func Rim(camera optics.Model) Outline {
	width, height := camera.Size()
	rows := make([][]span, height)
	whole := true
	imaged := func(u float64, v int) bool {
		_, ok := camera.Unproject(u, float64(v))
		return ok
	}
	// edge returns the position in a row where imaged points end, between an imaged point and one that is not imaged.
	edge := func(in, out float64, v int) float32 {
		for range 6 {
			if half := (in + out) / 2; imaged(half, v) {
				in = half
			} else {
				out = half
			}
		}
		return float32(in)
	}
	for v := range rows {
		before := false
		for u := range width {
			now := imaged(float64(u), v)
			whole = whole && now
			switch {
			case now && !before && u == 0:
				rows[v] = append(rows[v], span{-0.5, float32(width) - 0.5})
			case now && !before:
				rows[v] = append(rows[v], span{edge(float64(u), float64(u)-1, v), float32(width) - 0.5})
			case !now && before:
				rows[v][len(rows[v])-1].to = edge(float64(u)-1, float64(u), v)
			}
			before = now
		}
	}
	if whole {
		return nil
	}
	return trace(rows, 0)
}

// detail is the largest error of an outline, pixels.
const detail = 0.3

// end is an end of an interval of a row.
type end struct {
	at       [2]float64
	up, down int // indices of the ends in the rows above and below to which the outline continues
	done     bool
}

// trace returns the outline around intervals of rows. The argument first is the number of the first row. In each row,
// the intervals are in ascending order and do not touch.
func trace(rows [][]span, first int) Outline {
	n := 0
	for _, row := range rows {
		n += 2 * len(row)
	}
	ends := make([]end, 0, n)
	var above []span
	aboveAt := 0
	for i := range len(rows) + 1 {
		var row []span
		if i < len(rows) {
			row = rows[i]
		}
		at := len(ends)
		for _, s := range row {
			v := float64(first + i)
			ends = append(ends, end{at: [2]float64{float64(s.from), v}}, end{at: [2]float64{float64(s.to), v}})
		}
		connect(ends, above, aboveAt, row, at)
		above, aboveAt = row, at
	}
	var all Outline
	for i := range ends {
		if !ends[i].done {
			if line := withoutPlain(follow(ends, i)); len(line) > 2 {
				all = append(all, line)
			}
		}
	}
	return all
}

// connect connects the ends of the intervals of two consecutive rows. It connects the ends of intervals that overlap.
// It also connects neighbouring ends in one row that have no interval between them in the other row.
func connect(ends []end, above []span, aboveAt int, below []span, belowAt int) {
	capAbove := func(a, b int) { ends[aboveAt+a].down, ends[aboveAt+b].down = aboveAt+b, aboveAt+a }
	capBelow := func(a, b int) { ends[belowAt+a].up, ends[belowAt+b].up = belowAt+b, belowAt+a }
	join := func(a, b int) { ends[aboveAt+a].down, ends[belowAt+b].up = belowAt+b, aboveAt+a }
	for i, k := 0, 0; i < len(above) || k < len(below); {
		switch {
		case k == len(below) || i < len(above) && above[i].to < below[k].from:
			capAbove(2*i, 2*i+1)
			i++
		case i == len(above) || below[k].to < above[i].from:
			capBelow(2*k, 2*k+1)
			k++
		default:
			join(2*i, 2*k)
			for {
				if i+1 < len(above) && above[i+1].from <= below[k].to {
					capAbove(2*i+1, 2*i+2)
					i++
				} else if k+1 < len(below) && below[k+1].from <= above[i].to {
					capBelow(2*k+1, 2*k+2)
					k++
				} else {
					break
				}
			}
			join(2*i+1, 2*k+1)
			i, k = i+1, k+1
		}
	}
}

// follow returns the closed line that passes through an end.
func follow(ends []end, from int) (line [][2]float64) {
	down := true
	for i := from; !ends[i].done; {
		e := &ends[i]
		e.done = true
		line = append(line, e.at)
		next := e.up
		if down {
			next = e.down
		}
		if ends[next].at[1] == e.at[1] { // the line continues in the same row, so it reverses its vertical direction
			down = !down
		}
		i = next
	}
	return line
}

// withoutPlain removes the points of a closed line that are not needed to represent it with an error of detail. It uses
// the method of Douglas and Peucker.
func withoutPlain(line [][2]float64) [][2]float64 {
	if len(line) < 4 {
		return line
	}
	far := 0
	for i := range line {
		if apart(line[0], line[i]) > apart(line[0], line[far]) {
			far = i
		}
	}
	closed := append(line, line[0])
	kept := [][2]float64{line[0]}
	kept = thinned(closed[:far+1], kept)
	kept = thinned(closed[far:], kept)
	return kept[:len(kept)-1]
}

// thinned appends the points of an open line that remain after simplification by the method of Douglas and Peucker. It
// leaves out the line's first point, which the result already contains.
func thinned(line, into [][2]float64) [][2]float64 {
	last := len(line) - 1
	if last < 1 {
		return into
	}
	a, b := line[0], line[last]
	length := apart(a, b)
	most, at := 0.0, 0
	for i := 1; i < last; i++ {
		p := line[i]
		off := apart(a, p)
		if length > 0 {
			off = math.Abs((b[0]-a[0])*(p[1]-a[1])-(b[1]-a[1])*(p[0]-a[0])) / length
		}
		if off > most {
			most, at = off, i
		}
	}
	if most <= detail {
		return append(into, b)
	}
	return thinned(line[at:], thinned(line[:at+1], into))
}

func apart(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }
