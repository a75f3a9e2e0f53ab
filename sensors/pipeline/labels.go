package pipeline

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/labels"
)

// labelers find which object each pixel of a camera's image shows. They are used at level features if the camera
// computes its features from pixels. If a task needs a labeler and none is idle, a new labeler is created.
type labelers struct {
	scene *render.Scene
	codes [][]int16
	owner []int // for each body, the index of the target to which the body belongs; −1 if there is none

	idle pool[labeler]
}

// labeler labels pixels, with memory for two pictures: one of all bodies and one of a single target.
type labeler struct {
	*labels.Labeler
	all, alone labels.Picture
}

func (l *labelers) init(cfg *Config) {
	l.scene = cfg.Scene
	l.codes = cfg.Targets.Codes(l.scene, cfg.Field)
	for i := range l.scene.Bodies {
		target, ok := cfg.Targets.TargetOf(&l.scene.Bodies[i])
		if !ok {
			target = -1
		}
		l.owner = append(l.owner, target)
	}
}

func (l *labelers) take() (*labeler, error) {
	if b := l.idle.get(); b != nil {
		return b, nil
	}
	caster, err := labels.New(l.scene)
	return &labeler{Labeler: caster}, err
}

// label labels the pixels of a task's view. The result is valid until the labeler is used again.
func (l *labelers) label(t *task, b *labeler) *abstraction.Labels {
	of := func(p *labels.Picture) *abstraction.Labels {
		w, h := t.view.Model.Size()
		return &abstraction.Labels{Model: t.viewpoint.Model, Width: w, Height: h, Codes: p.Codes[:w*h],
			Boundary: p.Boundary, BoundarySamples: p.BoundarySamples}
	}
	b.Labels(&t.view, t.instant.posesWB, l.codes, nil, &b.all)
	all := of(&b.all)
	all.Alone = func(target int) *abstraction.Labels {
		b.Labels(&t.view, t.instant.posesWB, l.codes, func(body int) bool { return l.owner[body] == target }, &b.alone)
		return of(&b.alone)
	}
	return all
}

// own returns the mask of the pixels that show the camera's own robot in a task's view. The last argument is the index
// of the robot's target.
func (l *labelers) own(t *task, b *labeler, self int) *contour.Mask {
	b.Labels(&t.view, t.instant.posesWB, l.codes, func(body int) bool { return l.owner[body] == self }, &b.alone)
	w, h := t.view.Model.Size()
	return contour.NewMask(b.alone.Codes[:w*h], w)
}
