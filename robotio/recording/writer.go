package recording

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Writer writes a recording. Its own goroutine writes the file.
type Writer struct {
	opts  Options
	ros2  bool
	queue queue
	file  *file

	ctx     context.Context // context that ends when the recording ends
	cancel  context.CancelFunc
	ticks   chan struct{}
	closing chan struct{}
	done    chan struct{} // this channel is closed when the file is closed

	mu         sync.Mutex
	channels   []*Channel
	compressor *compressor // nil until the recording has a topic of images
	closed     bool
	discarded  bool
	err        error // the error that has ended the recording
}

// Wall times. The first is the interval at which the clock is checked. The second is the age at which a chunk is
// closed. It is below a second, so that the chunk is written within a second of its first message. The third is the
// interval at which the Writer checks that the file still exists.
const (
	tick      = 100 * time.Millisecond
	chunkAge  = 800 * time.Millisecond
	lookEvery = time.Second
)

// Create creates the file path + ".partial" and writes the header. Close renames the file to path. Create returns an
// error if a file with one of these names exists and must not be overwritten, or if the header cannot be written.
func Create(path string, h Header, o Options) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("recording %s: %w", path, err)
	}
	w := &Writer{opts: o.withDefaults(), ros2: h.ROS2, ticks: make(chan struct{}, 1), closing: make(chan struct{}),
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

// tick regularly wakes the goroutine that writes the file, and the callers that wait for space in the queue. It returns
// when the recording ends.
func (w *Writer) tick() {
	for w.ctx.Err() == nil {
		w.opts.Wall.Wait(w.ctx, w.opts.Wall.Now()+tick)
		w.queue.room.Broadcast() // wake the waiting callers, so that they check their patience
		select {
		case w.ticks <- struct{}{}:
		default:
		}
	}
}

// run writes the messages in the queue to the file.
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

// leave closes the file if finish has not closed it.
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

// drain moves the messages in the queue to chunks. It also closes a chunk that is old.
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

// ROS2 reports whether all messages must be of ROS 2, see Header.
func (w *Writer) ROS2() bool { return w.ros2 }

// Fail ends the recording with an error.
func (w *Writer) Fail(err error) { w.end(err) }

// end ends the recording with an error. If the recording has ended before, the first error is kept.
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

// Err returns the error that has ended the recording, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes the messages in the queue, the index and the summary, and gives the file its final name. If this is not
// possible, or if the recording has ended with an error before, Close returns the error. Then the file keeps the name
// that ends in ".partial". Messages that are written during or after Close are dropped. Close waits for the disk.
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
		return err // do not wait for the goroutine that writes the file, because the disk may block it for long
	}
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// errDiscarded is the error that ends a discarded recording.
var errDiscarded = errors.New("discarded")

// Discard is called instead of Close if the run has not begun. It ends the recording and removes its file. A file that
// already has its final name is kept. If the recording has already ended, Discard does nothing.
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

// Channel is a topic in a recording that is being written.
type Channel struct {
	writer   *Writer
	id       uint32
	topic    string
	schema   Schema
	metadata map[string]string
	sequence uint32 // sequence number of the last message; only the file's goroutine uses it
}

// Channel adds a topic whose messages have the type schema. metadata has the keys of MCAP's profile ros1, such as
// callerid, latching and md5sum, or of the profile ros2. The file lists the channel only when the channel has a
// message. Channel returns an error if there are too many channels.
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

// Write records a message. It copies data, so the caller may change data afterwards. A negative time counts as 0. If
// the queue is full, Write waits for space, but not longer than Options.Patience. After the end of the recording, Write
// does nothing.
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
