package backend

import (
	"time"

	"github.com/omnipitch/omnipitch/render"
)

// Candidates exports candidates.
type Candidates struct {
	Card         string
	OpenGL, Tile func(*render.Scene) (render.Renderer, error)
	Now          func() time.Time // nil for the machine's clock
}

func (x Candidates) candidates() *candidates {
	if x.Now == nil {
		x.Now = time.Now
	}
	return &candidates{card: x.Card, openGL: x.OpenGL, tile: x.Tile, now: x.Now}
}

// Choose chooses between the two renderers as ChooseFor does on a machine with a graphics card.
func (x Candidates) Choose(fallback Choice, scene *render.Scene, samples *render.Batch) Choice {
	return x.candidates().choose(fallback, scene, samples)
}

// Decide exports candidates.decide.
func (x Candidates) Decide(seconds [2]float64, errs [2]error) (name, why string) {
	return x.candidates().decide(seconds, errs)
}

// Describe exports candidates.describe.
func (x Candidates) Describe(scene *render.Scene, samples *render.Batch) string {
	return x.candidates().describe(scene, samples)
}

// ForgetTimes makes this process forget the times of renderers, as a new process does not know them.
func ForgetTimes() {
	measured.Lock()
	defer measured.Unlock()
	measured.times = nil
}
