package omnipitch

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/raycast"
)

// labelers tell what cameras' pixels show, for level features. They are made when they are first needed: as many as see at once.
type labelers struct {
	scene *render.Scene
	codes [][]int16
	owner []int // of each body, the target that it is or belongs to; −1 for none

	idle pool[labeler]
}

// labeler is one of them with its pictures: of all, and of one target alone.
type labeler struct {
	*raycast.Labeler
	all, alone raycast.Picture
}

func (l *labelers) init(s *Sim) {
	l.scene = s.scenery.Scene
	l.codes = s.around.Codes(l.scene, &l.scene.Bodies[s.scenery.Field()])
	for i := range l.scene.Bodies {
		target, ok := s.around.TargetOf(&l.scene.Bodies[i])
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
	caster, err := raycast.NewLabeler(l.scene)
	return &labeler{Labeler: caster}, err
}

// label tells what the pixels of a look show.
func (l *labelers) label(k *look, b *labeler) *abstraction.Labels {
	of := func(p *raycast.Picture) *abstraction.Labels {
		w, h := k.view.Model.Size()
		return &abstraction.Labels{Width: w, Height: h, Codes: p.Codes[:w*h], Boundary: p.Boundary, BoundarySamples: p.BoundarySamples}
	}
	b.Labels(&k.view, k.moment.posesWB, l.codes, nil, &b.all)
	labels := of(&b.all)
	labels.Unoccluded = func(target int) *abstraction.Labels {
		b.Labels(&k.view, k.moment.posesWB, l.codes, func(body int) bool { return l.owner[body] == target }, &b.alone)
		return of(&b.alone)
	}
	return labels
}
