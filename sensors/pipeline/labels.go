package pipeline

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/labels"
)

// labelers find what cameras' pixels show, for level features from pixels. They are made when they are first needed: as
// many as work at once.
type labelers struct {
	scene *render.Scene
	codes [][]int16
	owner []int // of each body, the target that it is or belongs to; −1 for none

	idle pool[labeler]
}

// labeler is one of them with its images: of all, and of one target alone.
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

// label returns what the pixels of a task's view show.
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

// own returns what a task's view shows of the camera's robot.
func (l *labelers) own(t *task, b *labeler, self int) *contour.Mask {
	b.Labels(&t.view, t.instant.posesWB, l.codes, func(body int) bool { return l.owner[body] == self }, &b.alone)
	w, h := t.view.Model.Size()
	return contour.NewMask(b.alone.Codes[:w*h], w)
}
