package abstraction

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// FeatureList is the result of segmentation of one image, pixels: u right, v down, (0, 0) is the centre of the top-left
// pixel.
type FeatureList struct {
	Balls      []BallFeature // candidates
	Obstacles  []BoxFeature  // robots and obstacles
	Cards      []BoxFeature  // colour cards of robots
	Posts      []PostFeature
	Bars       []BarFeature
	LinePoints [][2]float64 // centres of markings on scan lines, which are radial for a mirror, else vertical
	Segments   []SegmentFeature
	Crossings  []CrossingFeature
	Circles    []CircleFeature
}

// BallFeature is a ball or a false positive.
type BallFeature struct {
	U, V       float64 // centre of its visible part
	Diameter   float64 // larger side of the bounding box of the pixels that it fills by half or more
	Confidence float64 // visible share, 0 to 1
}

// BoxFeature is the bounding box of all pixels that show any part of an object, from the centre of the first column and
// row to the centre of the last.
type BoxFeature struct {
	Kind       Kind
	Name       string // in the world
	Team       string // of a robot with a visible card
	MinU, MinV float64
	MaxU, MaxV float64
	Pixels     int     // number that show a part of it
	Confidence float64 // visible share, 0 to 1; of a card 1
}

// PostFeature is a goal post.
type PostFeature struct {
	Name       string     `json:"name"`
	Foot       [2]float64 `json:"foot_px"` // ends of its axis, in the image or outside
	Top        [2]float64 `json:"top_px"`
	Width      float64    `json:"width_px"` // at half its height
	Confidence float64    `json:"confidence"`
}

// BarFeature is a goal's bar, from its left to its right end in the image.
type BarFeature struct {
	Left       [2]float64 `json:"left_px"`
	Right      [2]float64 `json:"right_px"`
	Width      float64    `json:"width_px"`
	Confidence float64    `json:"confidence"` // visible share, 0 to 1
}

// SegmentFeature is a visible part of a straight line without gaps, which bends by at most two pixels in the image.
type SegmentFeature struct {
	Start      [2]float64 `json:"start_px"`
	End        [2]float64 `json:"end_px"`
	StartWidth float64    `json:"start_width_px"`
	EndWidth   float64    `json:"end_width_px"`
	Confidence float64    `json:"confidence"` // its share of the whole line, 0 to 1
}

// CrossingFeature is a crossing of lines.
type CrossingFeature struct {
	At   [2]float64   `json:"at_px"`
	Kind CrossingKind `json:"kind"`
}

// CircleFeature is the centre circle: its leftmost and rightmost visible points, and one half-way between them.
type CircleFeature struct {
	Left   [2]float64 `json:"left_px"`
	Middle [2]float64 `json:"middle_px"`
	Right  [2]float64 `json:"right_px"`
}

// Clear empties the features and keeps their memory.
func (f *FeatureList) Clear() {
	f.Balls, f.Obstacles, f.Cards = f.Balls[:0], f.Obstacles[:0], f.Cards[:0]
	f.Posts, f.Bars, f.LinePoints = f.Posts[:0], f.Bars[:0], f.LinePoints[:0]
	f.Segments, f.Crossings, f.Circles = f.Segments[:0], f.Crossings[:0], f.Circles[:0]
}

// Picture is the content of an image: Labels from its pixels, a contour.Image from the outlines of bodies. The code of
// target i of the Environment is 2·i, that of its colour card 2·i + 1. Negative codes are the labels below.
type Picture interface {
	Size() (width, height int)
	// At returns the code of the pixel nearest to a point, or false outside of the image.
	At(u, v float64) (code int16, inside bool)
	// Boxes returns the boxes of all targets and their colour cards, in into's memory.
	Boxes(targets int, into []contour.Boxes) []contour.Boxes
	// Unoccluded returns the number of pixels of a target without occlusion. It must be called after Boxes.
	Unoccluded(target int) int
	// LinePoints appends the centres of markings on scan lines, if they are visible and within the range of a
	// viewpoint.
	LinePoints(marks []spatial.Mark, poseWC spatial.Pose, radial bool, maxRange float64, into [][2]float64) [][2]float64
}

// Labels is a labelled image.
type Labels struct {
	Model         optics.Model // of the camera
	Width, Height int          // of the image
	// Codes are the codes of the pixels' centres, Height × Width, as in Picture.
	Codes []int16
	// Boundary lists the indices of the pixels that show more than one object, ascending. BoundarySamples holds the
	// codes of four points of each.
	Boundary        []int
	BoundarySamples [][4]int16
	// Alone returns the labelled image of a target without occlusion.
	Alone func(target int) *Labels
}

const (
	BackgroundLabel       = contour.Nothing // the floor, the hall, or nothing
	GoalLabel       int16 = -2              // goals and boards
	OtherLabel      int16 = -3              // what vision does not detect
)

// Size returns the image's width and height in pixels.
func (l *Labels) Size() (width, height int) { return l.Width, l.Height }

// At returns the code of the pixel nearest to a point, or false outside of the image.
func (l *Labels) At(u, v float64) (code int16, inside bool) {
	x, y := int(math.Floor(u+0.5)), int(math.Floor(v+0.5))
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return BackgroundLabel, false
	}
	return l.Codes[y*l.Width+x], true
}

// Unoccluded returns the number of pixels of a target without occlusion.
func (l *Labels) Unoccluded(target int) int {
	return l.Alone(target).Boxes(target+1, nil)[target].All.Pixels
}

// Boxes returns the boxes of all targets, in into's memory.
func (l *Labels) Boxes(targets int, into []contour.Boxes) []contour.Boxes {
	if cap(into) < targets {
		into = make([]contour.Boxes, targets)
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
				into[code/2].Add(u, v, true, code&1 == 1)
			}
		}
	}
	return into
}

// addBoundary adds a boundary pixel to the boxes of all targets that it shows.
func (l *Labels) addBoundary(u, v int, samples [4]int16, into []contour.Boxes) {
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
			into[code/2].Add(u, v, 2*n >= len(samples), card)
		}
	}
}
