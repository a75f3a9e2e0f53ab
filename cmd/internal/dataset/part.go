package dataset

// parts returns the part, of Parts, of each scene: each scene goes where most is lacking of the part's share of all
// scenes so far. So what a scene belongs to does not depend on how many follow, and scenes themselves are drawn
// independently of each other.
func parts(scenes int, split [3]float64) []int {
	all, count := make([]int, scenes), [3]int{}
	for k := range all {
		best, most := 0, 0.0
		for p, share := range split {
			if lacks := share*float64(k+1) - float64(count[p]); lacks > most+1e-9 {
				best, most = p, lacks
			}
		}
		all[k] = best
		count[best]++
	}
	return all
}
