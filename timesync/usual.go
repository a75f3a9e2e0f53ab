package timesync

import "math"

// usual is what a kind of step takes, in ns: near the median, so that what disturbs some steps counts no more than any deviation.
type usual struct {
	mean, off float64 // and how far steps are from it
	n         float64
}

const (
	memory = 256 // steps of a kind over which what is usual is averaged
	first  = 8   // steps of a kind that are averaged as they are
	// A step moves what is usual as if it were off by so many times the mean deviation at most …
	mostOff = 1
	// … and counts as off by so many times that at most for the deviation itself, which so grows when steps take longer from now on.
	oddOff = 5
	// leastOff is the least deviation, as a share: what never varied could not be followed either.
	leastOff = 0.01
)

func (u *usual) learn(cost float64) {
	u.n = min(u.n+1, memory)
	d := cost - u.mean
	if u.n <= first {
		u.mean += d / u.n
		u.off += (math.Abs(d) - u.off) / u.n
		return
	}
	off := max(u.off, leastOff*u.mean)
	u.mean += min(max(d, -mostOff*off), mostOff*off) / u.n
	u.off = off + (min(math.Abs(d), oddOff*off)-off)/u.n
}
