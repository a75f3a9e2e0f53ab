package recording

import (
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// Options configures a Writer.
type Options struct {
	// Overwrite replaces a recording of the same name, and what one that did not end has left.
	Overwrite bool
	// Queue bounds the messages that wait to be written, in bytes; 0 is 64 MiB.
	Queue int
	// Patience is how long a write waits for room in a full queue before the recording ends, wall time; 0 is one
	// second.
	Patience time.Duration
	// Wall measures it, and the age of chunks; nil is the machine's clock.
	Wall timesync.Wall
	// Ended is called once, from any goroutine, when the recording ends before Close; it must not wait. It may be nil.
	Ended func(error)
}

// Defaults of Options, guesses: the queue holds half a second of a large camera's images at 30 Hz, which a disk may
// take to write something else.
const (
	defaultQueue    = 64 << 20
	defaultPatience = time.Second
)

// Validate reports every value that is out of range.
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

// withDefaults replaces zeros.
func (o Options) withDefaults() Options {
	if o.Queue == 0 {
		o.Queue = defaultQueue
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	if o.Wall == nil {
		o.Wall = timesync.CoarseWall()
	}
	return o
}
