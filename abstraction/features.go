package abstraction

import "math"

// FeatureList is what segmentation finds in one picture, in pixels: u to the right, v down, the middle of the first pixel at (0, 0).
type FeatureList struct {
	Balls      []BallFeature // candidates
	Obstacles  []BoxFeature  // robots and obstacles
	Cards      []BoxFeature  // colour cards of robots
	Posts      []PostFeature
	Bars       []BarFeature
	LinePoints [][2]float64 // the middles of painted stretches on scan lines: radial ones of a mirror, else upright ones
	Segments   []SegmentFeature
	Crossings  []CrossingFeature
	Circles    []CircleFeature
}

// BallFeature is a ball, or what looks like one.
type BallFeature struct {
	U, V       float64 // middle of what is seen of it
	Diameter   float64 // the larger side of the box around the pixels of which it fills half, which is neither more nor less than its own
	Confidence float64 // share of it that is seen, 0 to 1
}

// BoxFeature is a box around the pixels in which one thing is seen, be it in a corner: from the middle of the first column and row to that
// of the last.
type BoxFeature struct {
	Kind       Kind
	Name       string // in the world
	Team       string // of a robot whose card is seen
	MinU, MinV float64
	MaxU, MaxV float64
	Pixels     int     // that show it
	Confidence float64 // share of it that is seen, 0 to 1; of a card 1
}

// PostFeature is a goal post.
type PostFeature struct {
	Name       string
	Foot, Top  [2]float64 // ends of its axis, in the picture or beside it
	Width      float64    // half-way up
	Confidence float64
}

// BarFeature is a goal's bar, from the left post to the right as the camera sees it.
type BarFeature struct {
	Left, Right [2]float64
	Width       float64
	Confidence  float64 // share of it that is seen
}

// SegmentFeature is a stretch of a straight line that is seen without a break and, but for two pixels, without a bend.
type SegmentFeature struct {
	Start, End           [2]float64
	StartWidth, EndWidth float64
	Confidence           float64 // share of the line that it is
}

// CrossingFeature is where lines cross.
type CrossingFeature struct {
	At   [2]float64
	Kind CrossingKind
}

// CircleFeature is the centre circle: the outermost of its points that are seen, and the one half-way between.
type CircleFeature struct{ Left, Middle, Right [2]float64 }

// Clear empties the features and keeps their memory.
func (f *FeatureList) Clear() {
	f.Balls, f.Obstacles, f.Cards = f.Balls[:0], f.Obstacles[:0], f.Cards[:0]
	f.Posts, f.Bars, f.LinePoints = f.Posts[:0], f.Bars[:0], f.LinePoints[:0]
	f.Segments, f.Crossings, f.Circles = f.Segments[:0], f.Crossings[:0], f.Circles[:0]
}

// Labels says what each pixel of a picture shows.
type Labels struct {
	Width, Height int
	// Codes are height × width, of what the pixels' middles show: of a target of the scene 2·i, of its colour card 2·i + 1, Goal of
	// goals and boards, or NoTarget.
	Codes []int16
	// Boundary are the pixels, by their index and in its order, in which more than one thing is seen, and Samples what four points of each of them show.
	Boundary        []int
	BoundarySamples [][4]int16
	// Unoccluded returns what the picture would show of a target if there were nothing else.
	Unoccluded func(target int) *Labels
}

const (
	BackgroundLabel int16 = -1 // the floor, the hall, nothing
	GoalLabel       int16 = -2 // goals and boards
	OtherLabel      int16 = -3 // what vision does not look for
)

// labelBoxes is what the labels show of a target: the pixels in which it is seen at all, those of which it fills half, and those in which its
// card is seen.
type labelBoxes struct {
	box, half, card pixelBox
}

func (f *labelBoxes) add(u, v int, half, card bool) {
	f.box.add(u, v)
	if half {
		f.half.add(u, v)
	}
	if card {
		f.card.add(u, v)
	}
}

// pixelBox is the box around the pixels of one thing.
type pixelBox struct{ pixels, minU, maxU, minV, maxV int }

func (b *pixelBox) add(u, v int) {
	if b.pixels == 0 {
		*b = pixelBox{0, u, u, v, v}
	}
	b.pixels++
	b.minU, b.maxU, b.minV, b.maxV = min(b.minU, u), max(b.maxU, u), min(b.minV, v), max(b.maxV, v)
}

// at returns the code of the pixel nearest to a place, and false beside the picture.
func (l *Labels) at(u, v float64) (int16, bool) {
	x, y := int(math.Floor(u+0.5)), int(math.Floor(v+0.5))
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return BackgroundLabel, false
	}
	return l.Codes[y*l.Width+x], true
}

// boxes finds the targets' boxes, in into's memory.
func (l *Labels) boxes(targets int, into []labelBoxes) []labelBoxes {
	if cap(into) < targets {
		into = make([]labelBoxes, targets)
	}
	into = into[:targets]
	clear(into)
	mixed := l.Boundary
	for v := range l.Height {
		for u, code := range l.Codes[v*l.Width : (v+1)*l.Width] {
			if len(mixed) > 0 && mixed[0] == v*l.Width+u {
				l.addBoundary(u, v, l.BoundarySamples[len(l.Boundary)-len(mixed)], into)
				mixed = mixed[1:]
			} else if code >= 0 {
				into[code/2].add(u, v, true, code&1 == 1)
			}
		}
	}
	return into
}

// addBoundary adds a pixel to all that is seen in it.
func (l *Labels) addBoundary(u, v int, samples [4]int16, into []labelBoxes) {
	for i, code := range samples {
		if code < 0 {
			continue
		}
		n, card, first := 0, false, true
		for k, other := range samples {
			if other >= 0 && other/2 == code/2 {
				n++
				card = card || other&1 == 1
				first = first && k >= i
			}
		}
		if first {
			into[code/2].add(u, v, 2*n >= len(samples), card)
		}
	}
}
