package vision

// disjointSets are disjoint sets of the numbers 0 to len−1, with path halving (Tarjan and van Leeuwen 1984). A set is
// identified by its smallest number. It belongs to one goroutine.
type disjointSets []int32 // for each number, a number of the same set that is not greater; a root has itself

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
