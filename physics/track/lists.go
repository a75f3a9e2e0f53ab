package track

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// touchWords is how many numbers a touch has.
const touchWords = 7

func touchWord(t *physics.Touch, i int) uint64 {
	switch i {
	case 0:
		return uint64(t.A)
	case 1:
		return uint64(t.B)
	case 5:
		return math.Float64bits(t.Impulse)
	case 6:
		return math.Float64bits(t.Closing)
	}
	return math.Float64bits(t.PosW[i-2])
}

func setTouchWord(t *physics.Touch, i int, w uint64) {
	switch i {
	case 0:
		t.A = physics.BodyID(w)
	case 1:
		t.B = physics.BodyID(w)
	case 5:
		t.Impulse = math.Float64frombits(w)
	case 6:
		t.Closing = math.Float64frombits(w)
	default:
		t.PosW[i-2] = math.Float64frombits(w)
	}
}

// linkSearch is how many touches are looked through for one of the same bodies. Touches keep their order from state to
// state.
const linkSearch = 32

// link sets, for each touch, the touch of the same bodies in the state before, or −1.
func (t *table) link(refs []int) []int {
	refs = refs[:0]
	from, to := 0, 0 // the touches of the state before
	for row := range t.rows {
		n := t.row(row)[touchesColumn]
		next := from // after the one found last
		for i := to; i < to+int(n); i++ {
			ref := -1
			for range min(linkSearch, to-from) {
				if next == to {
					next = from
				}
				was := &t.touches[next]
				next++
				if was.A == t.touches[i].A && was.B == t.touches[i].B {
					ref = next - 1
					break
				}
			}
			refs = append(refs, ref)
		}
		from, to = to, to+int(n)
	}
	return refs
}

// predictTouch returns the prediction of a word of touch i, ordered: as it was.
func (t *table) predictTouch(refs []int, i, word int) uint64 {
	if word < 2 || refs[i] < 0 {
		return 0
	}
	return ordered(touchWord(&t.touches[refs[i]], word))
}

// The bodies of a touch are integers, the rest are numbers.
func orderedWord(word int, w uint64) uint64 {
	if word < 2 {
		return w
	}
	return ordered(w)
}
