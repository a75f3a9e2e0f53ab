package recording

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Writer writes a recording in its own goroutine.
type Writer struct {
	opts  Options
	queue queue
	file  *file

	ctx     context.Context // ends when the recording ends
	cancel  context.CancelFunc
	ticks   chan struct{}
	closing chan struct{}
	done    chan struct{} // closed when the file is closed

	mu         sync.Mutex
	channels   []*Channel
	compressor *compressor // nil until there is a topic of images
	closed     bool
	discarded  bool
	err        error // the error that ended the recording
}

// Wall times: between checks of the clock, the age at which a chunk is closed, so that it is written within a second of
// its first message, and between checks that the file still exists.
const (
	tick      = 100 * time.Millisecond
	chunkAge  = 800 * time.Millisecond
	lookEvery = time.Second
)

// Create creates path + ".partial" and writes the header. Close renames it to path. Create fails if a file of either
// name exists and may not be overwritten, and if the header cannot be written.
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

// tick wakes the file's goroutine and callers that wait for space in the queue, until the recording ends.
func (w *Writer) tick() {
	for w.ctx.Err() == nil {
		w.opts.Wall.Wait(w.ctx, w.opts.Wall.Now()+tick)
		w.queue.room.Broadcast() // waiting callers check their deadline
		select {
		case w.ticks <- struct{}{}:
		default:
		}
	}
}

// run writes the queue to the file.
func (w *Writer) run() {
	defer close(w.done)
	defer w.cancel()
	defer w.leave()
	inspected := w.opts.Wall.Now()
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
		if now := w.opts.Wall.Now(); err == nil && !closing && now-inspected >= lookEvery {
			inspected, err = now, w.file.out.There()
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

// leave closes the file, unless finish did.
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

// drain appends the queued messages to chunks, and closes a chunk that is old.
func (w *Writer) drain() error {
	for _, block := range w.queue.take() {
		for rest := block; len(rest) > 0; {
			if err := w.ctx.Err(); err != nil {
				return err // the recording has ended
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

// Fail ends the recording with an error.
func (w *Writer) Fail(err error) { w.end(err) }

// end ends the recording with an error. The first error is kept.
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

// Err returns the error that ended the recording, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes the queue, the index and the summary, and renames the file. It fails if that is not possible, or returns
// the error that ended the recording before; then the file keeps the name that ends in ".partial". Messages written
// during or after Close are dropped. It waits for the disk.
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
		return err // the file's goroutine may be blocked by the disk for long
	}
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// errDiscarded ends a discarded recording.
var errDiscarded = errors.New("discarded")

// Discard ends the recording, instead of Close, and removes its file: the run has not begun. An existing file of the
// final name stays. If the recording has already ended, it does nothing.
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

// Channel is a topic of a recording.
type Channel struct {
	writer   *Writer
	id       uint32
	topic    string
	schema   Schema
	metadata map[string]string
	sequence uint32 // of the last message; owned by the file's goroutine
}

// Channel adds a topic with messages of type schema. metadata are the keys of MCAP's profile ros1, such as callerid,
// latching and md5sum. The file lists the channel once it has a message. Channel fails if there are too many.
func (w *Writer) Channel(topic string, schema Schema, metadata map[string]string) (*Channel, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.channels) == math.MaxUint16 {
		return nil, fmt.Errorf("recording %s: topic %s: must be one of at most %d channels", w.file.out.Path(),
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

// Write records a message. Negative times count as 0. It copies data and returns. If the queue is full, it waits for
// space, at most Options.Patience. After the end of the recording it does nothing.
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
