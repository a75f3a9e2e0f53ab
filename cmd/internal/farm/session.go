package farm

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
)

// session is the work of a worker for one run, from joining the run to the end.
type session struct {
	conn   *nats.Conn
	entry  *Entry
	at     subjects
	id     string
	worker *Worker
	sim    *omnipitch.Sim

	forget atomic.Uint64 // other processes render all orders up to this number
	heard  atomic.Int64  // wall time of the run's last message, in Unix nanoseconds
	over   chan error    // receives the reason for which the session ends
	buffer []byte        // used by the method send
}

func newSession(conn *nats.Conn, e *Entry, w *Worker) *session {
	return &session{conn: conn, entry: e, at: newSubjects(e.ID), id: rand.Text(), worker: w, over: make(chan error, 1)}
}

// ends makes the session end for the reason why. It has no effect if the session is ending already.
func (s *session) ends(why error) {
	select {
	case s.over <- why:
	default:
	}
}

const (
	mostOrders = 1024 // maximum number of pending orders; the images of more orders would come late anyway
	// drawnAhead is the number of orders that may be in progress while the images of an earlier order are being sent.
	drawnAhead = 2
)

// begun is an order that is being rendered.
type begun struct {
	number uint64
	drawn  *pipeline.Drawn
}

// run joins the run and renders its images. It returns when the run ends, ctx ends or the run refuses the worker. It
// returns the number of frames sent.
func (s *session) run(ctx context.Context) (sent int, err error) {
	orders := make(chan *nats.Msg, mostOrders)
	s.heard.Store(time.Now().UnixNano())
	var subs []*nats.Subscription
	defer func() {
		for _, sub := range subs {
			_ = sub.Unsubscribe() // nothing comes any more
		}
	}()
	add := func(sub *nats.Subscription, subErr error) {
		if err == nil && subErr != nil {
			err = fmt.Errorf("NATS: %w", subErr)
		}
		if subErr == nil {
			subs = append(subs, sub)
		}
	}
	add(s.conn.ChanSubscribe(s.at.order(s.id), orders))
	add(s.conn.Subscribe(s.at.tell(s.id), s.hearTold))
	add(s.conn.Subscribe(s.at.host(), s.hearHost))
	if err == nil {
		err = s.join(ctx) // after subscribing, because a fast run sends orders at once
	}
	if err != nil {
		return 0, err
	}
	if s.worker.Joined != nil {
		s.worker.Joined(s.entry.Name)
	}
	inner, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { s.pulse(inner) })
	sending := make(chan begun, drawnAhead)
	beside.Go(func() {
		for b := range sending {
			sent += s.send(b)
		}
	})
	err = s.take(ctx, orders, sending)
	close(sending)
	stop()
	beside.Wait()
	if !errors.Is(err, errOver) && !errors.Is(err, errGone) {
		_ = s.conn.Publish(s.at.here(s.id), []byte("leaves")) // if this fails, the run notices the silence
		_ = s.conn.FlushTimeout(time.Second)
	}
	return sent, err
}

// take starts to render each order that comes from the run, and hands the order on for sending its images.
func (s *session) take(ctx context.Context, orders <-chan *nats.Msg, sending chan<- begun) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.over:
			return err
		case m := <-orders:
			if len(m.Data) < 8 {
				continue // not an order
			}
			number := binary.LittleEndian.Uint64(m.Data)
			if number <= s.forget.Load() {
				continue
			}
			drawn, err := s.sim.Sensors().DrawOrder(m.Data[8:])
			if err != nil {
				s.fail(number, 0, err)
				continue
			}
			sending <- begun{number, drawn}
		}
	}
}

// send waits for the images of an order and sends them. It returns the number of frames sent.
func (s *session) send(b begun) (sent int) {
	defer b.drawn.Release()
	for frame := range b.drawn.Len() {
		if err := b.drawn.Wait(frame); err != nil {
			s.fail(b.number, frame, err)
			continue
		}
		if b.number <= s.forget.Load() {
			continue
		}
		s.buffer = b.drawn.Append(append(s.buffer[:0], make([]byte, partSize)...), frame)
		if s.sendImages(&part{order: b.number, frame: uint32(frame), total: uint32(len(s.buffer) - partSize)},
			s.buffer) {
			sent++
		}
	}
	return sent
}

// sendImages sends the images of one frame, in as many messages as the server requires. It returns false if a message
// could not be sent. buffer holds room for a header, then the bytes of the images. The header of each message
// overwrites bytes of the message before.
func (s *session) sendImages(p *part, buffer []byte) bool {
	most := int(s.conn.MaxPayload()) - partSize
	for int(p.offset) < int(p.total) {
		end := min(int(p.offset)+most, int(p.total))
		message := buffer[p.offset : partSize+end]
		p.append(message[:0])
		if err := s.conn.Publish(s.at.frame(s.id), message); err != nil {
			return false // the frame counts as late
		}
		p.offset = uint32(end)
	}
	return true
}

// fail tells the run that a frame of an order cannot be rendered, and the error why.
func (s *session) fail(order uint64, frame int, why error) {
	text := why.Error()
	p := part{order: order, frame: uint32(frame), total: failed}
	_ = s.conn.Publish(s.at.frame(s.id), append(p.append(nil), text[:min(len(text), mostText)]...)) // else it is late
}

// pulse tells the run periodically that the worker is alive. It ends the session if the run has been silent for too
// long.
func (s *session) pulse(ctx context.Context) {
	tick := time.NewTicker(pulseEvery(s.entry.Lease))
	defer tick.Stop()
	joined := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			_ = s.conn.Publish(s.at.here(s.id), nil) // fails without a server
			if now.Sub(time.Unix(0, s.heard.Load())) > goneAfter && s.conn.IsConnected() {
				s.ends(errGone)
				return
			}
			if now.Sub(joined) > joinsAgain && s.conn.IsConnected() {
				joined = now
				if err := s.join(ctx); errors.Is(err, ErrRefused) {
					s.ends(err)
					return
				}
			}
		}
	}
}

func (s *session) hearHost(m *nats.Msg) {
	s.heard.Store(time.Now().UnixNano())
	if len(m.Data) > 0 {
		s.ends(errOver)
	}
}

func (s *session) hearTold(m *nats.Msg) {
	var t told
	if err := json.Unmarshal(m.Data, &t); err != nil {
		return // not from a run
	}
	if t.Forget > s.forget.Load() {
		s.forget.Store(t.Forget)
	}
	if t.Refused != "" {
		s.ends(fmt.Errorf("%w: run %s: %s", ErrRefused, s.entry.Name, t.Refused))
	}
}
