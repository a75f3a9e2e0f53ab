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
	Diameter   float64 // the larger side of the box around that
	Confidence float64 // share of it that is seen, 0 to 1
}

// BoxFeature is a box around pixels of one thing: from the middle of the first column and row to that of the last.
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
	// Codes are height × width: of a target of the scene 2·i, of its colour card 2·i + 1, Goal of goals and boards, or NoTarget.
	Codes []int16
	// Alone returns how many pixels a target would have if nothing stood before it.
	Alone func(target int) int
}

const (
	NoTarget int16 = -1 // the floor, the hall, nothing
	Goal     int16 = -2 // goals and boards
	Thing    int16 = -3 // what vision does not look for
)

// found is what the labels show of a target.
type found struct {
	box, card pixelBox
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
		return NoTarget, false
	}
	return l.Codes[y*l.Width+x], true
}

// find finds the targets' boxes, in into's memory.
func (l *Labels) find(targets int, into []found) []found {
	if cap(into) < targets {
		into = make([]found, targets)
	}
	into = into[:targets]
	clear(into)
	for v := range l.Height {
		for u, code := range l.Codes[v*l.Width : (v+1)*l.Width] {
			if code < 0 {
				continue
			}
			f := &into[code/2]
			f.box.add(u, v)
			if code&1 == 1 {
				f.card.add(u, v)
			}
		}
	}
	return into
}
