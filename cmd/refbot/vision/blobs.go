package vision

// run is a horizontal run of pixels [from, to) in a row.
type run struct {
	row, from, to int32
}

// Blob is a set of pixels of one class that are connected through edges or corners.
type Blob struct {
	Pixels                   int
	U, V                     float64 // mean
	Left, Top, Right, Bottom int     // bounding box, inclusive
}

// BlobFinder finds blobs by joining runs. It belongs to one goroutine, and allocates nothing after the first few
// images.
type BlobFinder struct {
	runs  []run
	sets  disjointSets // of runs of the same blob
	found []Blob
	of    []int32 // index of the blob of each root in sets
}

// maxBlobRuns is the largest number of runs in an image. It bounds the work for an image with many pixels of the class.
const maxBlobRuns = 20000

// Find returns the blobs of a class in an image. classes are the classes of the image's pixels, row by row, and width
// is the length of a row. The result is valid until the next call.
func (b *BlobFinder) Find(classes []Class, width int, class Class) []Blob {
	b.runs, b.sets, b.found = b.runs[:0], b.sets[:0], b.found[:0]
	above, row := 0, 0 // indices of the first runs of the row above and of this row
	for start := 0; start < len(classes) && len(b.runs) < maxBlobRuns; start += width {
		above, row = row, len(b.runs)
		line := classes[start : start+width]
		next := above
		for i := 0; i < width; i++ {
			if line[i] != class {
				continue
			}
			from := i
			for i < width && line[i] == class {
				i++
			}
			n := int32(len(b.runs))
			b.runs = append(b.runs, run{int32(start / width), int32(from), int32(i)})
			b.sets.Add()
			for next < row && int(b.runs[next].to) < from {
				next++
			}
			for k := next; k < row && int(b.runs[k].from) <= i; k++ {
				b.sets.Join(int32(k), n)
			}
		}
	}
	b.gather()
	return b.found
}

// gather computes the blobs from their runs.
func (b *BlobFinder) gather() {
	b.of = b.of[:0]
	for i := range b.runs {
		r := &b.runs[i]
		root := b.sets.Root(int32(i))
		b.of = append(b.of, int32(len(b.found)))
		if root == int32(i) {
			b.found = append(b.found, Blob{Left: int(r.from), Top: int(r.row)})
		}
		k := &b.found[b.of[root]]
		n := float64(r.to - r.from)
		k.Pixels += int(n)
		k.U += n * float64(r.from+r.to-1) / 2
		k.V += n * float64(r.row)
		k.Left, k.Right, k.Bottom = min(k.Left, int(r.from)), max(k.Right, int(r.to)-1), int(r.row)
	}
	for i := range b.found {
		k := &b.found[i]
		k.U, k.V = k.U/float64(k.Pixels), k.V/float64(k.Pixels)
	}
}

// disjointSets is a union-find structure over the numbers 0 to len−1, with path halving (Tarjan and van Leeuwen 1984).
// A set is identified by its smallest number. A disjointSets belongs to one goroutine.
type disjointSets []int32 // the parent of each number: a smaller number of the same set, or for a root, the root itself

// Add adds a set that contains only the next number.
func (s *disjointSets) Add() { *s = append(*s, int32(len(*s))) }

// Root returns the smallest number of the set that contains n.
func (s disjointSets) Root(n int32) int32 {
	for s[n] != n {
		s[n] = s[s[n]]
		n = s[n]
	}
	return n
}

// Join merges the sets that contain x and y.
func (s disjointSets) Join(x, y int32) {
	x, y = s.Root(x), s.Root(y)
	s[max(x, y)] = min(x, y)
}

// quantile maintains a quantile of whole numbers that are added one after another. At most the fraction share of the
// numbers is less than the quantile.
type quantile struct {
	share        float64
	counts       []int32 // of each value
	total, below int32   // below is the count of values less than at, the quantile
	at           int
}

// newQuantile returns a quantile of numbers from 0 to maximum. Until the first number is added, the quantile is
// maximum.
func newQuantile(share float64, maximum int) quantile {
	return quantile{share: share, counts: make([]int32, maximum+1), at: maximum}
}

// add adds a number.
func (q *quantile) add(n int) {
	q.counts[n]++
	q.total++
	if n < q.at {
		q.below++
	}
	want := int32(q.share * float64(q.total))
	for q.below > want {
		q.at--
		q.below -= q.counts[q.at]
	}
	for q.below+q.counts[q.at] <= want {
		q.below += q.counts[q.at]
		q.at++
	}
}
