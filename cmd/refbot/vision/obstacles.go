package vision

import (
	"math"
)

// Obstacle is something that stands on the floor.
type Obstacle struct {
	X, Y   float64 // of its middle: ahead of the robot, to its left, m
	Radius float64 // as it is wide, m
}

// What is an obstacle. Guesses, but for the rules' sizes of robots.
const (
	obstacleHeight   = 0.3 // m: what hides less of the floor behind it than something so tall is none; a ball is 0.22 m tall
	obstacleCarpeted = 0.2 // share of what it hides that is carpet all the same, or has the ball's colour, at most
	obstacleFewest   = 4   // pixels that it hides, at least
	// per cent of a scan line that are neither carpet nor black in nearly all images: it runs along a rod of the mirror
	rodCovered = 70
)

// What is learnt counts by quantiles of all images, since some are taken in a light that is not known yet: the robot
// itself hides what it does in most of them, and what stands around hides more of a scan line in many. Guesses.
const (
	ownShare   = 0.3
	coverShare = 0.1
)

// scanPixel is one along a scan line.
type scanPixel struct {
	index int32   // in the image
	reach float32 // m from the viewpoint to the floor that it shows
	top   int32   // along the scan line: something tall that stands here hides the pixels before that one
}

// ObstacleFinder finds obstacles in the images of one camera.
type ObstacleFinder struct {
	floor *Floor
	lines [][]scanPixel // outwards
	own   []quantile    // of each line, the first pixel that shows carpet: before it is the robot itself
	blind []bool        // of each line: a rod of the mirror covers it
	cover []quantile    // of each line, the share that is neither carpet nor black, per cent
	sums  []classSums   // along the present line
	feet  []foot        // one for each line that has an obstacle, in order
	found []Obstacle
}

// classSums is how many pixels of a scan line before one have a class.
type classSums struct{ black, other int32 }

// foot is where an obstacle begins on a scan line.
type foot struct {
	line           int
	bearing, reach float64 // from the viewpoint, in the robot's frame
	black          float64 // share of what is black
}

// NewObstacleFinder returns a finder that looks along so many scan lines.
func NewObstacleFinder(floor *Floor, lines int) *ObstacleFinder {
	f := &ObstacleFinder{floor: floor, feet: make([]foot, 0, lines), found: make([]Obstacle, 0, lines)}
	longest := 0
	for k := range lines {
		line := scanLine(floor, 2*math.Pi*float64(k)/float64(lines))
		f.lines, f.own, f.cover, f.blind = append(f.lines, line), append(f.own, newQuantile(ownShare, len(line))),
			append(f.cover, newQuantile(coverShare, 100)), append(f.blind, false)
		longest = max(longest, len(line))
	}
	f.sums = make([]classSums, longest+1)
	return f
}

// scanLine returns the pixels of the floor along a line in a direction of the image.
func scanLine(floor *Floor, angle float64) (line []scanPixel) {
	sin, cos := math.Sincos(angle)
	last := int32(-1)
	for rho := 1.0; rho < float64(max(floor.Width, floor.Height)); rho++ {
		u, v := int(math.Round(floor.Column+rho*cos)), int(math.Round(floor.Row+rho*sin))
		x, y, ok := floor.At(u, v)
		if i := int32(v*floor.Width + u); ok && i != last {
			line = append(line, scanPixel{index: i, reach: float32(math.Hypot(x-floor.Mount.X, y-floor.Mount.Y))})
			last = i
		}
	}
	for i := range line {
		// Over the top of something that stands at a distance the floor is seen so much farther away.
		behind := float64(line[i].reach) * floor.Mount.Height / (floor.Mount.Height - obstacleHeight)
		top := i
		for top < len(line) && float64(line[top].reach) < behind {
			top++
		}
		line[i].top = int32(top)
	}
	return line
}

// Find returns the obstacles in an image whose pixels have classes, of those that stand where they may, in the robot's
// frame; lent until the next call. It returns none for an image of another size.
func (f *ObstacleFinder) Find(classes []Class, may func(x, y float64) bool) []Obstacle {
	f.feet, f.found = f.feet[:0], f.found[:0]
	if len(classes) != f.floor.Width*f.floor.Height {
		return f.found
	}
	for k, line := range f.lines {
		f.begin(k, line, classes)
		if n := len(f.lines); f.cover[k].at > rodCovered || f.cover[(k+1)%n].at > rodCovered ||
			f.cover[(k+n-1)%n].at > rodCovered {
			f.blind[k] = true // or beside one that is
			continue
		}
		f.blind[k] = false
		if i, black, ok := f.foot(line, f.own[k].at, classes); ok {
			x, y, _ := f.floor.Index(int(line[i].index))
			reach := float64(line[i].reach)
			if i > 0 { // it begins between two pixels
				reach = (reach + float64(line[i-1].reach)) / 2
			}
			if !may(x, y) {
				continue
			}
			f.feet = append(f.feet, foot{k, math.Atan2(y-f.floor.Mount.Y, x-f.floor.Mount.X), reach, black})
		}
	}
	f.cluster()
	return f.found
}

// begin counts the classes along a line, and learns where carpet begins and how much of it there is.
func (f *ObstacleFinder) begin(k int, line []scanPixel, classes []Class) {
	greens, first := 0, len(line)
	for i := range line {
		s := f.sums[i]
		switch classes[line[i].index] {
		case ClassBlack:
			s.black++
		case ClassGreen:
			s.other++
			if greens++; greens == 3 {
				first = min(first, i-2)
			}
		case ClassBall:
			s.other++
		}
		if classes[line[i].index] != ClassGreen {
			greens = 0
		}
		f.sums[i+1] = s
	}
	n := len(line)
	if first < n {
		f.own[k].add(first)
	}
	beyond := f.own[k].at
	if beyond > n/2 { // hardly any carpet was seen yet
		beyond = 0
	}
	if all := f.sums[n]; n > beyond {
		rest := n - beyond
		seen := int(all.black-f.sums[beyond].black) + int(all.other-f.sums[beyond].other)
		f.cover[k].add(100 - 100*seen/rest)
	}
}

// foot returns the first pixel of an obstacle along a line: from there on there is neither carpet nor ball, as far as
// it is tall.
func (f *ObstacleFinder) foot(line []scanPixel, from int, classes []Class) (at int, black float64, ok bool) {
	for i := from; i < len(line); i++ {
		if c := classes[line[i].index]; c == ClassGreen || c == ClassBall {
			continue
		}
		n := line[i].top - int32(i)
		if n < obstacleFewest {
			return 0, 0, false
		}
		a, b := f.sums[i], f.sums[line[i].top]
		if float64(b.other-a.other) <= obstacleCarpeted*float64(n) {
			return i, float64(b.black-a.black) / float64(n), true
		}
	}
	return 0, 0, false
}
