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

	idle pool[*labeler]
}

// labeler is one of them with its picture.
type labeler struct {
	*raycast.Labeler
	labels abstraction.Labels
	alone  []int16
}

func (l *labelers) init(s *Sim) {
	l.scene = s.stage.Scene
	l.codes = s.around.Codes(l.scene, &l.scene.Bodies[s.stage.Field()])
	for i := range l.scene.Bodies {
		target, ok := s.around.TargetOf(&l.scene.Bodies[i])
		if !ok {
			target = -1
		}
		l.owner = append(l.owner, target)
	}
}

func (l *labelers) take() (*labeler, error) {
	if b, ok := l.idle.get(); ok {
		return b, nil
	}
	caster, err := raycast.NewLabeler(l.scene)
	return &labeler{Labeler: caster}, err
}

// label tells what the pixels of a look show.
func (l *labelers) label(k *look, b *labeler) *abstraction.Labels {
	w, h := k.view.Model.Size()
	if n := w * h; len(b.labels.Codes) < n {
		b.labels.Codes, b.alone = make([]int16, n), make([]int16, n)
	}
	b.labels.Width, b.labels.Height = w, h
	b.Labels(&k.view, k.moment.posesWB, l.codes, nil, b.labels.Codes)
	b.labels.Alone = func(target int) int {
		b.Labels(&k.view, k.moment.posesWB, l.codes, func(body int) bool { return l.owner[body] == target }, b.alone)
		n := 0
		for _, code := range b.alone[:w*h] {
			if code >= 0 {
				n++
			}
		}
		return n
	}
	return &b.labels
}
