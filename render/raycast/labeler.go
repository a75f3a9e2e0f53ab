package raycast

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Labeler tells what each pixel shows, and nothing else: it needs no light. It belongs to one goroutine.
type Labeler struct {
	model  *model
	frames []frame
	eyes   eyes
	canvas canvas
	blind  []bool    // bodies left out, as the canvas wants it
	mixed  [][]mixed // of each tile
	sorted []mixed
}

// NoLabel is the label of what is no body: floor, hall, or nothing.
const NoLabel int16 = -1

// NewLabeler prepares a scene. It must not change afterwards.
func NewLabeler(scene *render.Scene) (*Labeler, error) {
	if err := scene.Validate(); err != nil {
		return nil, fmt.Errorf("render/raycast: %w", err)
	}
	return &Labeler{model: newModel(scene)}, nil
}

// Picture is what a view's pixels show.
type Picture struct {
	Codes           []int16    // height × width, rows from the top: what their middles show
	Boundary        []int      // the pixels, by their index and in its order, in which more than one thing is seen
	BoundarySamples [][4]int16 // what the four points of each of them show of which a picture takes the mean
}

// Labels makes a picture with codes[body][part] of what a view's pixels show, in into's memory. posesWB are the bodies'; of is which
// bodies there are, nil for all. Images and what belongs to them in the view are not looked at.
func (l *Labeler) Labels(view *render.View, posesWB []spatial.Pose, codes [][]int16, of func(body int) bool, into *Picture) {
	l.frames, l.blind = l.frames[:0], l.blind[:0]
	for i := range posesWB {
		l.frames = append(l.frames, newFrame(posesWB[i]))
		l.blind = append(l.blind, of != nil && !of(i))
	}
	c := &l.canvas
	c.blind = l.blind
	c.lookAt(view, l.eyes.of(view.Model), l.model, l.frames)
	if n := c.eye.width * c.eye.height; len(into.Codes) < n {
		into.Codes = make([]int16, n)
	}
	if n := len(c.eye.cones); len(l.mixed) < n {
		l.mixed = append(l.mixed, make([][]mixed, n-len(l.mixed))...)
	}
	code := func(s *sight) int16 {
		if s.object < 0 {
			return NoLabel
		}
		o := &c.shown[s.object]
		return codes[o.body][o.surfaces[s.m.source].part]
	}
	width, height := c.eye.width, c.eye.height
	inParallel(len(c.eye.cones), func(tile int) {
		r := c.eye.tile(tile)
		for y := r.y0; y < r.y1; y++ {
			for i := y*width + r.x0; i < y*width+r.x1; i++ {
				into.Codes[i] = code(&c.sights[i])
			}
		}
	})
	// edge tells whether something else is shown around a pixel; a picture's points see nothing that none of these shows.
	edge := func(i, x, y int) bool {
		for v := max(y-1, 0); v <= min(y+1, height-1); v++ {
			for u := max(x-1, 0); u <= min(x+1, width-1); u++ {
				if into.Codes[v*width+u] != into.Codes[i] {
					return true
				}
			}
		}
		return false
	}
	inParallel(len(c.eye.cones), func(tile int) {
		r := c.eye.tile(tile)
		l.mixed[tile] = l.mixed[tile][:0]
		if len(c.nearby[tile]) == 0 {
			return
		}
		for y := r.y0; y < r.y1; y++ {
			for x := r.x0; x < r.x1; x++ {
				i := y*width + x
				if c.eye.dir[i] == (vec{}) || !edge(i, x, y) || !c.border(i, x, y) {
					continue
				}
				middle := into.Codes[i]
				m := mixed{pixel: i}
				for k, sub := range c.samples(i, x, y) {
					m.samples[k] = code(&sub.sight)
				}
				if m.samples != [4]int16{middle, middle, middle, middle} {
					l.mixed[tile] = append(l.mixed[tile], m)
				}
			}
		}
	})
	l.sorted = l.sorted[:0]
	for tile := range c.eye.cones {
		l.sorted = append(l.sorted, l.mixed[tile]...)
	}
	slices.SortFunc(l.sorted, func(a, b mixed) int { return a.pixel - b.pixel })
	into.Boundary, into.BoundarySamples = into.Boundary[:0], into.BoundarySamples[:0]
	for i := range l.sorted {
		into.Boundary, into.BoundarySamples = append(into.Boundary, l.sorted[i].pixel), append(into.BoundarySamples, l.sorted[i].samples)
	}
}

// mixed is a pixel at a border.
type mixed struct {
	pixel   int
	samples [4]int16
}
