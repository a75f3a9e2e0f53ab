package contour

// Mask is the part of a robot in the image of its own camera. It is immutable.
type Mask struct {
	rows  [][]run // of each row
	first int     // first row that shows anything
	last  int
}

// run is a range of pixels of a row with one code.
type run struct {
	from, to int32
	code     int16
}

// NewMask returns the mask of an image that shows only the robot. The argument codes holds the codes of all pixels, row
// by row.
func NewMask(codes []int16, width int) *Mask {
	height := len(codes) / width
	m := &Mask{rows: make([][]run, height), first: height, last: -1}
	for v := range m.rows {
		row := codes[v*width : (v+1)*width]
		for u := 0; u < width; u++ {
			if row[u] == Nothing {
				continue
			}
			from := u
			for u+1 < width && row[u+1] == row[from] {
				u++
			}
			m.rows[v] = append(m.rows[v], run{int32(from), int32(u), row[from]})
			m.first, m.last = min(m.first, v), max(m.last, v)
		}
	}
	return m
}

// at returns the code of a pixel. It returns false if the pixel does not show the robot.
func (m *Mask) at(u, v int) (int16, bool) {
	if m == nil {
		return 0, false
	}
	for i := range m.rows[v] {
		if r := &m.rows[v][i]; int32(u) < r.from {
			break
		} else if int32(u) <= r.to {
			return r.code, true
		}
	}
	return 0, false
}

// subtractFrom removes what the robot occludes in a row.
func (m *Mask) subtractFrom(s *spans, v int) {
	if m == nil {
		return
	}
	for i := range m.rows[v] {
		if s.n == 0 {
			return
		}
		s.subtract(float32(m.rows[v][i].from)-0.5, float32(m.rows[v][i].to)+0.5)
	}
}

// overlaps reports whether the robot may occlude part of an extent.
func (m *Mask) overlaps(e *extent) bool {
	return m != nil && float64(m.first) <= e.maxV+1 && float64(m.last) >= e.minV-1
}
