package recording

import (
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// Options configures a Writer.
type Options struct {
	// Overwrite replaces a recording of the same name, and an incomplete one.
	Overwrite bool
	// Queue bounds the messages in the queue, in bytes; 0 is 64 MiB.
	Queue int
	// Patience is the wall time that Write waits for space in a full queue before the recording ends; 0 is one second.
	Patience time.Duration
	// Wall measures wall time; nil is the machine's clock.
	Wall timesync.Wall
	// Ended is called once, from any goroutine, if the recording ends before Close. It must not block. It may be nil.
	Ended func(error)
}

// Defaults of Options. Guesses: the queue holds half a second of a large camera's images at 30 Hz; a disk may be busy
// for so long.
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
