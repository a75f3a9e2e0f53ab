package vision

// ColorSamples are labelled pixels from which Table builds a colour table.
type ColorSamples struct {
	counts [cellCount][tableClasses]int32
}

// Add counts a pixel that has a colour and is labelled with a class.
func (s *ColorSamples) Add(r, g, b byte, class Class) { s.counts[cellOf(r, g, b)][class]++ }

// sampleRadius is the largest distance at which Table searches for samples for a cell without samples, in cells. Noise
// and shadows shift colours by about that distance.
const sampleRadius = 2

// Table returns a table in which each cell has the most frequent class of its samples, or of the nearest cells with
// samples. Cells far from all samples are ClassUnknown.
func (s *ColorSamples) Table() *ColorTable {
	t := new(ColorTable)
	for i := range t.cells {
		t.cells[i] = ClassUnknown
		for radius := range sampleRadius + 1 {
			if class, ok := s.most(i, radius); ok {
				t.cells[i] = class
				break
			}
		}
	}
	return t
}

// most returns the most frequent class of the samples in the cube of cells that extends by radius cells around a cell.
// If several classes are equally frequent, it returns the last of these classes. ok is false if there are no samples.
func (s *ColorSamples) most(cell, radius int) (class Class, ok bool) {
	var sums [tableClasses]int32
	around := func(shift int) (from, to int) {
		x := cell >> shift & (cellsPerAxis - 1)
		return max(x-radius, 0), min(x+radius, cellsPerAxis-1)
	}
	r0, r1 := around(2 * cellBits)
	g0, g1 := around(cellBits)
	b0, b1 := around(0)
	for r := r0; r <= r1; r++ {
		for g := g0; g <= g1; g++ {
			for b := b0; b <= b1; b++ {
				for c, n := range &s.counts[r<<(2*cellBits)|g<<cellBits|b] {
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
