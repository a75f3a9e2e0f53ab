package track

import (
	"math"
	"math/bits"
)

// ordered maps a number's bits to an integer, so that numbers that are near to each other have integers that are. It
// maps every bit pattern, and is its own inverse.
func ordered(word uint64) uint64 { return word ^ uint64(int64(word)>>63)>>1 }

// expected is a predicted number, ordered. Which NaN a sum gives is the machine's choice: none is predicted.
func expected(x float64) uint64 {
	if x != x {
		return 0
	}
	return ordered(math.Float64bits(x))
}

// zigzag maps small positive and negative differences to small numbers.
func zigzag(d uint64) uint64   { return d<<1 ^ uint64(int64(d)>>63) }
func unzigzag(u uint64) uint64 { return u>>1 ^ -(u & 1) }

// residual returns how far a word is from a predicted number.
func residual(word uint64, p float64) uint64 { return zigzag(ordered(word) - expected(p)) }

// corrected is its inverse.
func corrected(residual uint64, p float64) uint64 { return ordered(unzigzag(residual) + expected(p)) }

// orders is how many orders of extrapolation there are: of order 0 a prediction is taken as it is, and of order n it is
// corrected by its errors in the rows before, extrapolated by a polynomial of degree n−1.
const orders = 4

// misses is what a column's predictions were wrong by, the newest first.
type misses [orders - 1]float64

// correction returns what to add to a prediction.
func (e *misses) correction(order uint8) float64 {
	switch d := e[0] - e[1]; order {
	case 0:
		return 0
	case 1:
		return e[0]
	case 2:
		return e[0] + d
	default:
		return e[0] + d + (d - (e[1] - e[2]))
	}
}

func (e *misses) add(x float64) { e[2], e[1], e[0] = e[1], e[0], x }

// judged is how many rows bestOrder looks at.
const judged = 24

// bestOrder returns the order that leaves the shortest residuals, judged by rows in the middle.
func bestOrder(words []uint64, base []uint64) uint8 {
	from := max(0, len(words)/2-judged/2)
	to := min(len(words), from+judged)
	var e misses
	var cost [orders]int
	for row := from; row < to; row++ {
		p := number(base[row])
		if row >= from+orders-1 {
			for order := range uint8(orders) {
				cost[order] += bits.Len64(residual(words[row], p+e.correction(order)))
			}
		}
		e.add(number(words[row]) - p)
	}
	best := uint8(0)
	for order, c := range cost {
		if c < cost[best] {
			best = uint8(order)
		}
	}
	return best
}

// residuals sets how far a column is from its predictions. Rows that are not a step later are predicted as they were.
func residuals(words []uint64, base []uint64, stepped []bool, order uint8, out []uint64) {
	var e misses
	base, stepped, out = base[:len(words)], stepped[:len(words)], out[:len(words)]
	for row, word := range words {
		p := number(base[row])
		if stepped[row] {
			c := e.correction(order)
			e.add(number(word) - p)
			p += c
		}
		out[row] = residual(word, p)
	}
}
