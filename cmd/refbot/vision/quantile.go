package vision

// quantile keeps a quantile of whole numbers that are added one after another. At most the given fraction of the
// numbers is less than the quantile.
type quantile struct {
	share        float64
	counts       []int32 // of each value
	total, below int32   // below counts the values less than at
	at           int
}

// newQuantile returns a quantile of numbers from 0 to the number most. Until the first number is added, the quantile is
// most.
func newQuantile(share float64, most int) quantile {
	return quantile{share: share, counts: make([]int32, most+1), at: most}
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
