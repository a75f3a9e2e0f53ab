package vision

// quantile keeps a quantile of whole numbers: below it is at most a share of them.
type quantile struct {
	share        float64
	counts       []int32 // of each number
	total, below int32   // below: of those less than at
	at           int
}

// newQuantile returns one of numbers from 0 to most, which is most until there is any.
func newQuantile(share float64, most int) quantile {
	return quantile{share: share, counts: make([]int32, most+1), at: most}
}

// add takes a number in.
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
