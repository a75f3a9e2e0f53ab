package dashboard

import (
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
)

// demand keeps an activity going while clients request it.
type demand struct {
	idle  time.Duration // wall time from the last request to the end of the activity
	begin func() (end func(), err error)

	mu     sync.Mutex
	end    func() // nil: it is not going
	timer  *time.Timer
	closed bool
}

// renew starts the activity, or prolongs it by idle.
func (d *demand) renew() (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return omnipitch.ErrClosed
	case d.end != nil:
		d.timer.Reset(d.idle)
		return nil
	}
	if d.end, err = d.begin(); err == nil {
		d.timer = time.AfterFunc(d.idle, d.stop)
	}
	return err
}

// stop ends the activity until the next renew.
func (d *demand) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.end != nil {
		d.timer.Stop()
		d.end()
		d.end = nil
	}
}

// close ends it for good.
func (d *demand) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.stop()
}
