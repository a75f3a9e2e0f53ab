package window

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
)

// Still runs a simulation from its start until the sim time after. It returns the image that the window would show at
// that time if the user had first pressed the given keys.
func Still(sim *omnipitch.Sim, width, height int, keys string, after time.Duration) (*render.Image, error) {
	p := &paper{width: width, height: height}
	s, err := newScreen(p, sim, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, k := range keys {
		p.events = append(p.events, viewer.Event{Kind: viewer.Key, Key: k}, viewer.Event{Kind: viewer.Release, Key: k})
	}
	s.handle(context.Background())
	for sim.Truth().Time < after {
		if err := sim.Step(); err != nil {
			return nil, err
		}
	}
	s.copyState()
	err = s.draw()
	return p.image, err
}

// paper is a display that keeps the last image.
type paper struct {
	width, height int
	events        []viewer.Event // the next events to return
	closing       bool
	image         *render.Image
}

func (p *paper) Events() []viewer.Event {
	now := p.events
	p.events = nil
	return now
}

func (p *paper) Size() (int, int) { return p.width, p.height }
func (p *paper) Closing() bool    { return p.closing }

func (p *paper) Show(im *render.Image) error {
	p.image = im
	return nil
}
