package colors

// Samples are pixels that somebody has said the class of, to make a table of.
type Samples struct{ counts [cells][classes]int32 }

// Add counts a pixel.
func (s *Samples) Add(r, g, b byte, class Class) { s.counts[cell(r, g, b)][class]++ }

// near is how far a cell without samples looks for others, cells: noise and shadows move colours by as much.
const near = 2

// Table returns a table in which each cell has the class of most of its samples, or of those of the nearest cells that
// have any. What is far from all samples is Unknown.
func (s *Samples) Table() *Table {
	t := new(Table)
	for i := range t.cells {
		t.cells[i] = Unknown
		for radius := range near + 1 {
			if class, ok := s.most(i, radius); ok {
				t.cells[i] = class
				break
			}
		}
	}
	return t
}

// most returns the class of most samples in the cube of cells around one; of classes with as many the last.
func (s *Samples) most(cell, radius int) (class Class, ok bool) {
	var sums [classes]int32
	around := func(shift int) (from, to int) {
		x := cell >> shift & (side - 1)
		return max(x-radius, 0), min(x+radius, side-1)
	}
	r0, r1 := around(2 * bits)
	g0, g1 := around(bits)
	b0, b1 := around(0)
	for r := r0; r <= r1; r++ {
		for g := g0; g <= g1; g++ {
			for b := b0; b <= b1; b++ {
				for c, n := range &s.counts[r<<(2*bits)|g<<bits|b] {
					sums[c] += n
				}
			}
		}
	}
	for c, n := range sums {
		if n > 0 && n >= sums[class] {
			class, ok = Class(c), true
		}
	}
	return class, ok
}
