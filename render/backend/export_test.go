package backend

import "github.com/omnipitch/omnipitch/render"

// Rivals exports rivals.
type Rivals struct {
	Card         string
	OpenGL, Tile func(*render.Scene) (render.Renderer, error)
}

// Choose chooses between the two renderers as ChooseFor does on a machine with a graphics card.
func (x Rivals) Choose(byRule Choice, scene *render.Scene, images *render.Batch) Choice {
	r := rivals{card: x.Card, openGL: x.OpenGL, tile: x.Tile}
	return r.choose(byRule, scene, images)
}

// Verdict exports rivals.verdict.
func (x Rivals) Verdict(took [2]float64, errs [2]error) (name, why string) {
	r := rivals{card: x.Card}
	return r.verdict(took, errs)
}

// ForgetTimes makes this process forget the times of renderers, as a new process does not know them.
func ForgetTimes() {
	measured.Lock()
	defer measured.Unlock()
	measured.times = nil
}
