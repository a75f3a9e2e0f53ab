// Package union joins numbered things into sets, as runs of pixels into blobs: union-find with path halving (Tarjan and
// van Leeuwen 1984). A set is known by its least number.
package vision

// disjointSets are disjoint sets of the numbers 0 to len-1. They are for one goroutine.
type disjointSets []int32 // of each number another one of its set that is not greater; its own of the least

// Add adds a set of the next number alone.
func (s *disjointSets) Add() { *s = append(*s, int32(len(*s))) }

// Root returns the least number of the set in which n is.
func (s disjointSets) Root(n int32) int32 {
	for s[n] != n {
		s[n] = s[s[n]]
		n = s[n]
	}
	return n
}

// Join makes one set of those in which x and y are.
func (s disjointSets) Join(x, y int32) {
	x, y = s.Root(x), s.Root(y)
	s[max(x, y)] = min(x, y)
}
