package raycast

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Labeler tells what the middle of each pixel shows, and nothing else: it needs no light. It belongs to one goroutine.
type Labeler struct {
	model  *model
	frames []frame
	eyes   eyes
	canvas canvas
	blind  []bool // bodies left out, as the canvas wants it
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

// Labels fills into, height × width, rows from the top, with codes[body][part] of what a view's pixels show. posesWB are the bodies';
// of is which bodies there are, nil for all. Images and what belongs to them in the view are not looked at.
func (l *Labeler) Labels(view *render.View, posesWB []spatial.Pose, codes [][]int16, of func(body int) bool, into []int16) {
	l.frames, l.blind = l.frames[:0], l.blind[:0]
	for i := range posesWB {
		l.frames = append(l.frames, newFrame(posesWB[i]))
		l.blind = append(l.blind, of != nil && !of(i))
	}
	c := &l.canvas
	c.blind = l.blind
	c.prepare(view, l.eyes.of(view.Model), l.model, l.frames)
	inParallel(len(c.eye.cones), func(tile int) {
		r := c.eye.tile(tile)
		objects := c.nearby[tile]
		for y := r.y0; y < r.y1; y++ {
			for i := y*c.eye.width + r.x0; i < y*c.eye.width+r.x1; i++ {
				into[i] = NoLabel
				if len(objects) == 0 || c.eye.dir[i] == (vec{}) {
					continue
				}
				o, d := c.ray(i)
				if s := c.first(o, d, objects); s.object >= 0 {
					obj := &c.shown[s.object]
					into[i] = codes[obj.body][obj.surfaces[s.m.source].part]
				}
			}
		}
	})
}
