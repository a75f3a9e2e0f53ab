package assess

import "math"

// match assigns rows to columns one to one. It makes as many assignments as possible. If there are several ways to do
// so, it chooses the way with the least sum of costs. A row and a column are never assigned to each other if their cost
// is NaN or infinite. match returns for each row the index of its column, or −1 if the row has none.
//
// Source: the Hungarian method with potentials, O(rows²·columns); Burkard, Dell'Amico and Martello, "Assignment
// Problems", SIAM 2009, section 4.4.
func match(rows, columns int, cost func(row, column int) float64) []int {
	of := make([]int, rows)
	for i := range of {
		of[i] = -1
	}
	if rows == 0 || columns == 0 {
		return of
	}
	// The cost of a forbidden pair: more than all permitted costs together. As many extra columns as rows allow each
	// row to remain unassigned.
	sum := 1.0
	for i := range rows {
		most := 0.0
		for k := range columns {
			if c := cost(i, k); !math.IsNaN(c) && !math.IsInf(c, 0) {
				most = math.Max(most, math.Abs(c))
			}
		}
		sum += most
	}
	n := columns + rows
	at := func(i, k int) float64 {
		if k < columns {
			if c := cost(i, k); !math.IsNaN(c) && !math.IsInf(c, 0) {
				return c
			}
			return 4 * sum
		}
		return 2 * sum
	}
	u, v := make([]float64, rows+1), make([]float64, n+1)
	row, from := make([]int, n+1), make([]int, n+1) // of each column; both count from 1
	least, done := make([]float64, n+1), make([]bool, n+1)
	for i := 1; i <= rows; i++ {
		row[0] = i
		for k := range least {
			least[k], done[k] = math.Inf(1), false
		}
		k0 := 0
		for row[k0] != 0 {
			done[k0] = true
			i0, delta, k1 := row[k0], math.Inf(1), 0
			for k := 1; k <= n; k++ {
				if done[k] {
					continue
				}
				if c := at(i0-1, k-1) - u[i0] - v[k]; c < least[k] {
					least[k], from[k] = c, k0
				}
				if least[k] < delta {
					delta, k1 = least[k], k
				}
			}
			for k := 0; k <= n; k++ {
				if done[k] {
					u[row[k]] += delta
					v[k] -= delta
				} else {
					least[k] -= delta
				}
			}
			k0 = k1
		}
		for k0 != 0 {
			row[k0] = row[from[k0]]
			k0 = from[k0]
		}
	}
	for k := 1; k <= columns; k++ {
		if i := row[k]; i > 0 && at(i-1, k-1) < 2*sum {
			of[i-1] = k - 1
		}
	}
	return of
}
