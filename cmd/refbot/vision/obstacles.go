package vision

import "math"

// Obstacle is an object on the floor.
type Obstacle struct {
	X, Y   float64 // centre in the robot's frame, m
	Radius float64 // radius, m, derived from the obstacle's apparent width
}

// Criteria for obstacles. Guesses, except for the sizes of robots in the rules.
const (
	// obstacleHeight is the least height of an obstacle, in m. An obstacle must hide at least as much floor as an
	// object of this height. A ball is lower: 0.22 m.
	obstacleHeight   = 0.3
	obstacleCarpeted = 0.2 // largest fraction of the hidden pixels that may show carpet or the ball's colour
	obstacleFewest   = 4   // hidden pixels
	// rodCovered is a percentage of the pixels of a scan line. If at least this percentage is neither carpet nor black
	// in nearly all images, the scan line runs along a rod of the mirror.
	rodCovered = 70
)

// Guesses for quantiles over all images. A single image does not suffice, because the first images are classified
// before the light is known. In most images the robot hides the same part of a scan line, while in many images
// surrounding objects hide more of it.
const (
	ownShare   = 0.3
	coverShare = 0.1
)

// scanPixel is a pixel of a scan line.
type scanPixel struct {
	index int32   // in the image
	reach float32 // distance from the viewpoint to the floor point of the pixel, m
	top   int32   // an object of obstacleHeight at this pixel hides the floor up to this index in the scan line
}

// ObstacleFinder finds robots and other objects on the carpet in the images of one omnidirectional camera. Along scan
// lines from the centre outwards it looks for the place where carpet ends and does not soon continue.
type ObstacleFinder struct {
	floor *Floor
	lines [][]scanPixel // outwards
	// for each line, the index of the first pixel with carpet; the pixels before it show the robot itself
	own   []quantile
	blind []bool      // for each line, whether a rod of the mirror covers it
	cover []quantile  // for each line, the percentage of pixels that are neither carpet nor black
	sums  []classSums // along the present line
	feet  []foot      // one foot for each line with an obstacle, in order of the lines
	found []Obstacle
}

// classSums counts the black and the other non-carpet pixels of a scan line, from the beginning of the line to some
// pixel.
type classSums struct{ black, other int32 }

// foot is the point at which an obstacle begins on a scan line.
type foot struct {
	line           int
	bearing, reach float64 // from the viewpoint, in the robot's frame
	black          float64 // fraction of black pixels
}

// NewObstacleFinder returns a finder with a number of scan lines.
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

// scanLine returns the floor pixels along a direction in the image.
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
		// behind is the distance up to which an object at pixel i hides the floor.
		behind := float64(line[i].reach) * floor.Mount.Height / (floor.Mount.Height - obstacleHeight)
		top := i
		for top < len(line) && float64(line[top].reach) < behind {
			top++
		}
		line[i].top = int32(top)
	}
	return line
}

// Find returns the obstacles in an image whose pixels have the given classes. It drops the obstacles at positions for
// which the function allowed returns false. The result is valid until the next call. It is empty if the image does not
// have the camera's size.
func (f *ObstacleFinder) Find(classes []Class, allowed func(x, y float64) bool) []Obstacle {
	f.feet, f.found = f.feet[:0], f.found[:0]
	if len(classes) != f.floor.Width*f.floor.Height {
		return f.found
	}
	for k, line := range f.lines {
		f.scan(k, line, classes)
		if n := len(f.lines); f.cover[k].at > rodCovered || f.cover[(k+1)%n].at > rodCovered ||
			f.cover[(k+n-1)%n].at > rodCovered {
			f.blind[k] = true // this line or a neighbour runs along a rod
			continue
		}
		f.blind[k] = false
		if i, black, ok := f.foot(line, f.own[k].at, classes); ok {
			x, y, _ := f.floor.Index(int(line[i].index))
			reach := float64(line[i].reach)
			if i > 0 { // the obstacle begins between two pixels
				reach = (reach + float64(line[i-1].reach)) / 2
			}
			if !allowed(x, y) {
				continue
			}
			f.feet = append(f.feet, foot{k, math.Atan2(y-f.floor.Mount.Y, x-f.floor.Mount.X), reach, black})
		}
	}
	f.cluster()
	return f.found
}

// scan counts the classes along a line, and updates where its carpet begins and how much of it is covered.
func (f *ObstacleFinder) scan(k int, line []scanPixel, classes []Class) {
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
	if beyond > n/2 { // hardly any carpet has been seen yet
		beyond = 0
	}
	if all := f.sums[n]; n > beyond {
		rest := n - beyond
		seen := int(all.black-f.sums[beyond].black) + int(all.other-f.sums[beyond].other)
		f.cover[k].add(100 - 100*seen/rest)
	}
}

// foot searches a scan line for the first obstacle, from the pixel with the index start outwards. It returns the index
// of the obstacle's first pixel, and the fraction of the obstacle's pixels that are black. An obstacle begins at a
// pixel if almost none of the pixels behind it, as far as an object of obstacleHeight would hide the floor, show carpet
// or the ball. ok is false if there is no obstacle.
func (f *ObstacleFinder) foot(line []scanPixel, start int, classes []Class) (at int, black float64, ok bool) {
	for i := start; i < len(line); i++ {
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

// Criteria for grouping feet into obstacles. All are guesses, except for the sizes of robots, which come from the
// rules.
const (
	footJump = 0.3 // m, largest difference between the ranges of neighbouring feet
	// largest number of successive scan lines without a foot in an obstacle, not counting lines along a rod of the
	// mirror
	footGap        = 3
	obstacleNarrow = 0.12 // m, least width of a black obstacle
	// blackish is the least fraction of black pixels in a black obstacle. The remaining pixels are noise and the skins
	// of robots.
	blackish = 0.25
	// obstacleWide is the least width of an obstacle that is not black, in m. Lines that lead away from the robot, rods
	// of the mirror and goalposts are narrower.
	obstacleWide     = 0.3
	obstacleSmallest = 0.15 // m: radius
	// m, largest radius of an obstacle; a robot is at most 0.52 m wide, and its corner is at most 0.37 m from its
	// centre
	obstacleLargest = 0.35
	obstacleTypical = 0.3 // m, radius above which an obstacle counts as several obstacles side by side
	obstacleMost    = 3   // largest number of obstacles side by side; something wider is a wall, such as boards
)

// A robot's hull hangs over its wheels. The lowest black part is its chassis, hullClearance above the floor and
// hullSetback from the robot's centre, m. The values are those of the shipped robots, and approximately those of team
// NuBot's robots. For a box that stands on the floor, the computed position is too close.
const (
	hullClearance = 0.03
	hullSetback   = 0.155
)

// cluster groups neighbouring feet into obstacles.
func (f *ObstacleFinder) cluster() {
	n := len(f.feet)
	if n == 0 {
		return
	}
	start := 0 // start after a gap, because the scan lines form a circle
	for i := range n {
		if !f.joined((i+n-1)%n, i) {
			start = i
			break
		}
	}
	first := 0
	for i := 1; i <= n; i++ {
		if i == n || !f.joined((start+i-1)%n, (start+i)%n) {
			f.add(start+first, i-first)
			first = i
		}
	}
}

// joined reports whether two neighbouring feet belong to the same obstacle. i and j are the indices of the feet.
func (f *ObstacleFinder) joined(i, j int) bool {
	a, b := &f.feet[i], &f.feet[j]
	if i == j || math.Abs(a.reach-b.reach) >= footJump {
		return false
	}
	without := 0
	for k := (a.line + 1) % len(f.lines); k != b.line && without <= footGap; k = (k + 1) % len(f.lines) {
		if !f.blind[k] {
			without++
		}
	}
	return without <= footGap
}

// add adds the obstacle that consists of n feet, beginning with the foot with the index first. If the feet are too wide
// for one obstacle, it adds several obstacles side by side.
func (f *ObstacleFinder) add(first, n int) {
	at := func(i int) *foot { return &f.feet[(first+i)%len(f.feet)] }
	line := 2 * math.Pi / float64(len(f.lines))
	turn := math.Remainder(at(n-1).bearing-at(0).bearing, 2*math.Pi)
	half := (math.Abs(turn) + line) / 2
	// The middle half of a round foot is as close as its nearest point, within centimetres.
	near, black, count := 0.0, 0.0, 0
	for i := n / 4; i < n-n/4; i++ {
		near, black, count = near+at(i).reach, black+at(i).black, count+1
	}
	near /= float64(count)
	distance := near*(1-hullClearance/f.floor.Mount.Height) + hullSetback
	sin := math.Sin(min(half, math.Pi/2))
	if width := 2 * distance * sin; width < obstacleNarrow || width < obstacleWide && black < blackish*float64(count) {
		return
	}
	parts := max(1, int(math.Round(distance*sin/obstacleTypical)))
	if parts > obstacleMost { // this is a wall
		return
	}
	middle := at(0).bearing + turn/2
	half /= float64(parts)
	radius := min(max(distance*math.Sin(min(half, math.Pi/2)), obstacleSmallest), obstacleLargest)
	for k := range parts {
		sin, cos := math.Sincos(middle + half*float64(2*k-parts+1))
		f.found = append(f.found, Obstacle{f.floor.Mount.X + distance*cos, f.floor.Mount.Y + distance*sin, radius})
	}
}
