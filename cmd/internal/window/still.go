package window

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
)

// Still runs a simulation, which has not begun, for some sim time and returns what a window would show of it then to a
// user who has pressed keys before.
func Still(sim *omnipitch.Sim, width, height int, keys string, after time.Duration) (*render.Image, error) {
	p := &paper{width: width, height: height, gamepad: viewer.NoGamepad}
	s, err := newScreen(p, sim, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, k := range keys {
		p.events = append(p.events, viewer.Event{Kind: viewer.Key, Key: k}, viewer.Event{Kind: viewer.Release, Key: k})
	}
	s.handle(context.Background())
	for sim.Time() < after {
		if err := sim.Step(); err != nil {
			return nil, err
		}
	}
	s.take()
	err = s.draw()
	return p.image, err
}

// paper is a display that keeps what it shows.
type paper struct {
	width, height int
	events        []viewer.Event // that come next
	gamepad       viewer.Gamepad
	closing       bool
	image         *render.Image
}

func (p *paper) Events() []viewer.Event {
	now := p.events
	p.events = nil
	return now
}

func (p *paper) Gamepad() viewer.Gamepad { return p.gamepad }
func (p *paper) Size() (int, int)        { return p.width, p.height }
func (p *paper) Closing() bool           { return p.closing }

func (p *paper) Show(im *render.Image) error {
	p.image = im
	return nil
}
