package recording

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Writer writes a recording beside those who call it.
type Writer struct {
	opts  Options
	queue queue
	file  *file

	ctx     context.Context // ends when the recording has
	cancel  context.CancelFunc
	ticks   chan struct{}
	closing chan struct{}
	done    chan struct{} // closed when the file is

	mu         sync.Mutex
	channels   []*Channel
	compressor *compressor // nil until there is a topic of images
	closed     bool
	discarded  bool
	err        error // why it ended before Close
}

// Wall times: how often the file's goroutine looks at its clock, the age at which it closes a chunk, which is then
// written within a second of its first message, and how often it looks whether the file is still there.
const (
	tick      = 100 * time.Millisecond
	chunkAge  = 800 * time.Millisecond
	lookEvery = time.Second
)

// Create begins a recording in path + ".partial", with the header written; Close renames it to path. It fails where
// there is a file of one of these names that is not to be overwritten, and where the header cannot be written.
func Create(path string, h Header, o Options) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("recording %s: %w", path, err)
	}
	w := &Writer{opts: o.withDefaults(), ticks: make(chan struct{}, 1), closing: make(chan struct{}),
		done: make(chan struct{})}
	var err error
	if w.file, err = create(path, h, o.Overwrite); err != nil {
		return nil, fmt.Errorf("recording %s: %w", path, err)
	}
	w.queue.init(w.opts)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	go w.tick()
	go w.run()
	return w, nil
}

// tick wakes the file's goroutine, and those who wait for room, until the recording has ended.
func (w *Writer) tick() {
	for w.ctx.Err() == nil {
		w.opts.Wall.Wait(w.ctx, w.opts.Wall.Now()+tick)
		w.queue.room.Broadcast() // those who wait look at the clock
		select {
		case w.ticks <- struct{}{}:
		default:
		}
	}
}

// run puts into the file what is queued.
func (w *Writer) run() {
	defer close(w.done)
	defer w.cancel()
	defer w.leave()
	looked := w.opts.Wall.Now()
	for {
		closing := false
		select {
		case <-w.ctx.Done():
			return
		case <-w.closing:
			closing = true
		case <-w.queue.wake:
		case <-w.ticks:
		}
		err := w.drain()
		if now := w.opts.Wall.Now(); err == nil && !closing && now-looked >= lookEvery {
			looked, err = now, w.file.out.There()
		}
		if err == nil && closing {
			err = w.file.finish()
		}
		if err != nil {
			w.end(err)
			return
		}
		if closing {
			return
		}
	}
}

// leave closes the file where finish has not.
func (w *Writer) leave() {
	w.mu.Lock()
	discarded := w.discarded
	w.mu.Unlock()
	if discarded {
		w.file.out.Discard()
		return
	}
	w.file.out.Close()
}

// drain puts what waits into chunks, and closes a chunk that is old.
func (w *Writer) drain() error {
	for _, block := range w.queue.take() {
		for rest := block; len(rest) > 0; {
			if err := w.ctx.Err(); err != nil {
				return err // has ended already
			}
			var m message
			m, rest = next(rest)
			if err := w.file.add(w.channel(m.channel), m, w.opts.Wall.Now); err != nil {
				return err
			}
		}
		w.queue.giveBack(block)
		if err := w.file.closeOld(w.opts.Wall.Now()); err != nil {
			return err
		}
	}
	return w.file.closeOld(w.opts.Wall.Now())
}

// Fail ends the recording before Close, as an error of its file does.
func (w *Writer) Fail(err error) { w.end(err) }

// end ends a recording because of an error, the first of which is told.
func (w *Writer) end(err error) {
	w.mu.Lock()
	first, closed := w.err == nil, w.closed
	if first {
		w.err = fmt.Errorf("recording %s has ended: %w", w.file.out.Partial(), err)
	}
	err = w.err
	images := w.compressor
	w.mu.Unlock()
	w.cancel()
	w.queue.close()
	if images != nil {
		images.close()
	}
	if first && !closed && w.opts.Ended != nil {
		w.opts.Ended(err)
	}
}

// Err returns why the recording has ended before Close, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes what is queued, the index and the summary, and gives the file its name. It fails where that cannot be,
// and returns the error that has ended the recording before; what is in the file then keeps the name that ends in
// ".partial". What is written to a channel meanwhile or later is dropped. It takes as long as the disk does.
func (w *Writer) Close() error {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	err, images := w.err, w.compressor
	w.mu.Unlock()
	if first {
		if images != nil {
			images.finish()
		}
		w.queue.close()
		close(w.closing)
	}
	if errors.Is(err, errSlow) {
		return err // the file's goroutine may hang in the disk for long
	}
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// errDiscarded says that nobody wants the recording.
var errDiscarded = errors.New("discarded")

// Discard ends the recording in the place of Close, and removes its file, as of a run that has not begun. What had the
// file's name keeps it. A recording that has ended already is left as it is.
func (w *Writer) Discard() {
	w.mu.Lock()
	first := !w.closed && w.err == nil
	w.closed = true
	w.discarded = first
	w.mu.Unlock()
	if first {
		w.end(errDiscarded)
		<-w.done
	}
}

// Channel is one topic of a recording.
type Channel struct {
	writer   *Writer
	id       uint32
	topic    string
	schema   Schema
	metadata map[string]string
	sequence uint32 // of the last message; the file's goroutine counts
}

// Channel adds a topic whose messages have the type schema; metadata are those of MCAP's profile ros1, such as
// callerid, latching and md5sum. The file lists it from its first message on. It fails where there are too many.
func (w *Writer) Channel(topic string, schema Schema, metadata map[string]string) (*Channel, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.channels) == math.MaxUint16 {
		return nil, fmt.Errorf("recording %s: topic %s: there are %d channels: must not be more", w.file.out.Path(),
			topic, len(w.channels))
	}
	c := &Channel{writer: w, id: uint32(len(w.channels)), topic: topic, schema: schema, metadata: metadata}
	w.channels = append(w.channels, c)
	return c, nil
}

func (w *Writer) channel(id uint32) *Channel {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.channels[id]
}

// Write records a message; times below 0 count as 0. It copies data and returns, but waits for room in a full queue, at
// most as long as Options.Patience. When the recording has ended it does nothing.
func (c *Channel) Write(logTime, publishTime time.Duration, data []byte) {
	var err error
	if len(data) > MaxMessage {
		err = fmt.Errorf("topic %s: a message has %d bytes: must be at most %d", c.topic, len(data), MaxMessage)
	} else if err = c.writer.queue.put(message{c.id, max(logTime, 0), max(publishTime, 0), data}); err == errClosed {
		return
	}
	if err != nil {
		c.writer.end(err)
	}
}
