package match

import "math/bits"

// eventSet is a set of events, one bit for each index.
type eventSet []uint64

func newEventSet(events int) eventSet { return make(eventSet, (events+63)/64) }

func (s eventSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s eventSet) addAll(other eventSet) {
	for w, bits := range other {
		s[w] |= bits
	}
}

// take removes the event with the smallest index from an index on, and returns its index. If there is none, it removes
// the event with the smallest index of all. It returns -1 if the set is empty.
func (s eventSet) take(from int) int {
	for range 2 {
		mask := ^uint64(0) << (from % 64)
		for w := from / 64; w < len(s); w, mask = w+1, ^uint64(0) {
			if rest := s[w] & mask; rest != 0 {
				b := bits.TrailingZeros64(rest)
				s[w] &^= 1 << b
				return w*64 + b
			}
		}
		from = 0
	}
	return -1
}
