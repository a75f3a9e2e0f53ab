package recording

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// Options configures a Writer.
type Options struct {
	// Overwrite lets the Writer replace a complete or incomplete recording of the same name.
	Overwrite bool
	// Queue is the maximum size of all messages in the queue, in bytes; 0 means 64 MiB.
	Queue int
	// Patience is the maximum wall time that Write waits for space in a full queue. After this time, the recording ends
	// with an error. 0 means one second.
	Patience time.Duration
	// Wall measures wall time; nil means the clock of the machine.
	Wall timesync.Wall
	// Ended is called once, from any goroutine, with the reason if the recording ends before Close is called. Ended
	// must not block. It may be nil.
	Ended func(error)
}

// Defaults of Options. The values are guesses: the queue has room for the images of a large camera at 30 Hz for half a
// second, and a disk may be busy for half a second.
const (
	defaultQueue    = 64 << 20
	defaultPatience = time.Second
)

// Validate returns an error that lists every value that is out of range.
func (o Options) Validate() error {
	var errs []error
	if o.Queue < 0 {
		errs = append(errs, fmt.Errorf("queue = %d: must not be negative", o.Queue))
	}
	if o.Patience < 0 {
		errs = append(errs, fmt.Errorf("patience = %v: must not be negative", o.Patience))
	}
	return errors.Join(errs...)
}

// withDefaults returns the options with zeros replaced by the defaults.
func (o Options) withDefaults() Options {
	o.Queue = cmp.Or(o.Queue, defaultQueue)
	o.Patience = cmp.Or(o.Patience, defaultPatience)
	if o.Wall == nil {
		o.Wall = timesync.CoarseWall()
	}
	return o
}
