package vision

import (
	"math"
)

// group is a set of pixels with continuous depth that are connected through edges or corners.
type group struct {
	pixels                   int
	left, right, top, bottom int32   // bounding box, pixels, inclusive
	u, v, z                  float64 // mean: pixels; m
}

// groups finds the groups of an image by joining runs.
type groups struct {
	runs  []run
	sets  disjointSets // of runs of the same group
	found []group
	of    []int32 // for each root of sets, the index of its group
	step  depthStep
}

// maxGroupRuns is the largest number of runs in an image. It bounds the work for an image full of edges.
const maxGroupRuns = 40000

// The depths of neighbouring pixels are continuous if they differ by at most stepAlways, in m, plus stepNoise standard
// deviations. For comparison, a ball that is 13 pixels wide has steps of 0.04 m near its outline.
const (
	stepAlways = 0.06
	stepNoise  = 4
)

// depthStep is the largest step between the depths of neighbouring pixels, in m. It holds the coefficients of a
// polynomial of the depth z: of 1, z and z².
type depthStep [3]float32

func newDepthStep(n *DepthNoise) (s depthStep) {
	for i, a := range n.Along {
		s[i] = float32(stepNoise * a)
	}
	s[0] += stepAlways
	return s
}

func (s *depthStep) follows(a, b float32) bool {
	d := a - b
	if d < 0 {
		d = -d
	}
	return d < s[0]+a*(s[1]+a*s[2])
}

// find returns the groups of the pixels whose depth is not 0. The result is lent until the next call.
func (g *groups) find(z []float32, width int) []group {
	g.runs, g.sets, g.found = g.runs[:0], g.sets[:0], g.found[:0]
	above, row := 0, 0 // indices of the first runs of the row above and of this row
	for start := 0; start < len(z) && len(g.runs) < maxGroupRuns; start += width {
		above, row = row, len(g.runs)
		line := z[start : start+width]
		var before []float32
		if start > 0 {
			before = z[start-width : start]
		}
		next := above
		for i := 0; i < width; {
			if line[i] == 0 {
				i++
				continue
			}
			from := i
			for i++; i < width && line[i] != 0 && g.step.follows(line[i-1], line[i]); i++ {
			}
			n := int32(len(g.runs))
			g.runs = append(g.runs, run{int32(start / width), int32(from), int32(i)})
			g.sets.Add()
			for next < row && int(g.runs[next].to) < from {
				next++
			}
			for k := next; k < row && int(g.runs[k].from) <= i; k++ {
				if g.touch(&g.runs[k], from, i, before, line) {
					g.sets.Join(int32(k), n)
				}
			}
		}
	}
	g.gather(z, width)
	return g.found
}

// touch reports whether the run a in the row above is connected to the pixels [from, to) of this row: at least one of
// its pixels has a neighbour there with continuous depth.
func (g *groups) touch(a *run, from, to int, before, line []float32) bool {
	for i := max(int(a.from), from-1); i < min(int(a.to), to+1); i++ {
		if k := min(max(i, from), to-1); g.step.follows(before[i], line[k]) {
			return true
		}
	}
	return false
}

// gather computes the groups from their runs.
func (g *groups) gather(z []float32, width int) {
	g.of = g.of[:0]
	for i := range g.runs {
		r := &g.runs[i]
		root := g.sets.Root(int32(i))
		g.of = append(g.of, int32(len(g.found)))
		if root == int32(i) {
			g.found = append(g.found, group{left: math.MaxInt32, top: r.row})
		}
		k := &g.found[g.of[root]]
		n := float64(r.to - r.from)
		k.pixels += int(n)
		k.left, k.right, k.bottom = min(k.left, r.from), max(k.right, r.to-1), r.row
		k.u += n * float64(r.from+r.to-1) / 2
		k.v += n * float64(r.row)
		sum := float32(0)
		for _, d := range z[int(r.row)*width+int(r.from) : int(r.row)*width+int(r.to)] {
			sum += d
		}
		k.z += float64(sum)
	}
	for i := range g.found {
		k := &g.found[i]
		n := float64(k.pixels)
		k.u, k.v, k.z = k.u/n, k.v/n, k.z/n
	}
}
