package dataset

// parts returns the part of each scene. A scene goes to the part that is furthest below its share so far, so the part
// of a scene does not depend on the number of later ones. Scenes themselves are independent draws.
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
