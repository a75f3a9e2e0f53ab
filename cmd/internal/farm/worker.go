package farm

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/worlds"
)

// Worker renders images for runs in other processes.
type Worker struct {
	Name    string
	Version string // of this program
	// NewSim builds a simulation of the world with this renderer. For backend.Reference, samples is the number of light
	// paths per pixel.
	NewSim func(world *worlds.World, renderer string, samples int) (*omnipitch.Sim, error)
	Joined func(run string) // called for each run that the worker joins; may be nil
}

// ErrRefused is wrapped by the error of a worker that a run refuses. The error says why.
var ErrRefused = errors.New("this worker is refused")

var (
	errOver = errors.New("the run is over")
	errGone = errors.New("the run does not answer any more")
)

const (
	answersWithin = 500 * time.Millisecond // time for runs to answer hello
	joinsWithin   = 5 * time.Second
	joinsAgain    = 5 * time.Second // period at which the worker joins again, in case the run has forgotten it
	goneAfter     = 15 * time.Second
)

// pulseEvery returns the period at which runs and workers tell each other that they are alive. The period is much
// shorter than the lease and than goneAfter.
func pulseEvery(lease time.Duration) time.Duration {
	return min(max(lease/4, 5*time.Millisecond), goneAfter/5)
}

// Serve renders images for one run after the other, until there is no run. It returns the number of frames that it has
// rendered. The error names the runs that refuse the worker.
func (w *Worker) Serve(ctx context.Context, conn *nats.Conn) (drawn int, err error) {
	var refused []error
	left := map[string]bool{} // runs that have ended for this worker
	for ctx.Err() == nil {
		e, err := w.find(ctx, conn, left)
		if err != nil {
			return drawn, err
		}
		if e == nil {
			break
		}
		n, err := w.draw(ctx, conn, e)
		drawn += n
		switch left[e.ID] = true; {
		case errors.Is(err, errOver), errors.Is(err, errGone):
		case errors.Is(err, ErrRefused):
			refused = append(refused, err)
		case err != nil:
			return drawn, err
		}
	}
	return drawn, errors.Join(append(refused, ctx.Err())...)
}

// find returns the run that has the fewest workers. It ignores the excluded runs. If the only runs are about to start,
// find waits for them. If there is no run, it returns nil.
func (w *Worker) find(ctx context.Context, conn *nats.Conn, excluded map[string]bool) (found *Entry, err error) {
	for {
		found, begins, err := w.askRuns(ctx, conn, excluded)
		if found != nil || !begins || err != nil {
			return found, err
		}
	}
}

// askRuns asks all runs to answer, and returns the run that has the fewest workers, or nil. It ignores the excluded
// runs. begins is true if a run is about to start.
func (w *Worker) askRuns(ctx context.Context, conn *nats.Conn, excluded map[string]bool) (found *Entry, begins bool,
	err error) {
	inbox := conn.NewInbox()
	answers, err := conn.SubscribeSync(inbox)
	if err == nil {
		defer func() { _ = answers.Unsubscribe() }()
		err = conn.PublishRequest(hello, inbox, nil)
	}
	if err != nil {
		return nil, false, fmt.Errorf("NATS: %w", err)
	}
	begun, patience := time.Now(), answersWithin
	for {
		within, cancel := context.WithTimeout(ctx, patience-time.Since(begun))
		m, err := answers.NextMsgWithContext(within)
		cancel()
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			return nil, false, nil
		case errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil:
			return found, begins, ctx.Err()
		case err != nil:
			return nil, false, fmt.Errorf("NATS: %w", err)
		}
		var e Entry
		if err := json.Unmarshal(m.Data, &e); err != nil {
			continue // not a usable entry
		}
		begins = begins || e.Begins
		if e.ID == "" || excluded[e.ID] || !(e.Lease > 0) || e.World < 0 || e.World > mostWorld {
			continue // not a usable entry
		}
		patience = time.Since(begun) + answersWithin/10 // other runs answer at about the same time
		if found == nil || e.Workers < found.Workers {
			found = &e
		}
	}
}

// draw renders images for a run until the run ends or refuses the worker. It returns the number of frames rendered.
func (w *Worker) draw(ctx context.Context, conn *nats.Conn, e *Entry) (drawn int, err error) {
	if e.Version != w.Version {
		return 0, fmt.Errorf("%w: %s", ErrRefused, otherVersion(e.Version, w.Version))
	}
	s := &session{conn: conn, entry: e, at: newSubjects(e.ID), id: rand.Text(), worker: w, over: make(chan error, 1)}
	data, err := s.fetch(ctx)
	if err != nil {
		return 0, err
	}
	files, err := cluster.Unpack(data, e.Sum)
	if err != nil {
		return 0, fmt.Errorf("%w: run %s: %w", ErrRefused, e.Name, err)
	}
	world, err := worlds.LoadBundle(files)
	if err != nil {
		return 0, fmt.Errorf("%w: run %s: %w", ErrRefused, e.Name, err)
	}
	if s.sim, err = w.NewSim(world, e.Renderer, e.Samples); err == nil {
		defer s.sim.Close()
		err = s.sim.Sensors().Open()
	}
	if err != nil {
		return 0, fmt.Errorf("%w: run %s draws by %s, this worker cannot: %w", ErrRefused, e.Name, e.Renderer, err)
	}
	return s.run(ctx)
}

// fetch fetches the bundle of the run's world, piece by piece.
func (s *session) fetch(ctx context.Context) (data []byte, err error) {
	for len(data) < s.entry.World {
		m, err := s.ask(ctx, s.at.world(), []byte(strconv.Itoa(len(data))))
		if err != nil {
			return nil, err
		}
		if len(m.Data) == 0 || len(data)+len(m.Data) > s.entry.World {
			return nil, fmt.Errorf("%w: run %s sends another world than it has announced", ErrRefused, s.entry.Name)
		}
		data = append(data, m.Data...)
	}
	return data, nil
}

// join asks the run to admit the worker. For a worker that is admitted already, the run only notes that it is alive.
func (s *session) join(ctx context.Context) error {
	data, err := json.Marshal(Request{ID: s.id, Name: s.worker.Name, Version: s.worker.Version,
		Draws: backend.Machine(s.entry.Renderer)})
	if err != nil {
		return err
	}
	m, err := s.ask(ctx, s.at.join(), data)
	if err != nil {
		return err
	}
	var a Answer
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return fmt.Errorf("%w: run %s answers nonsense: %w", ErrRefused, s.entry.Name, err)
	}
	if a.Refused != "" {
		return fmt.Errorf("%w: run %s: %s", ErrRefused, s.entry.Name, a.Refused)
	}
	return nil
}

func (s *session) ask(ctx context.Context, subject string, data []byte) (*nats.Msg, error) {
	within, cancel := context.WithTimeout(ctx, joinsWithin)
	defer cancel()
	m, err := s.conn.RequestWithContext(within, subject, data)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, context.DeadlineExceeded):
		return nil, errGone
	case err != nil:
		return nil, fmt.Errorf("NATS: %w", err)
	}
	return m, nil
}

// session is the work of a worker for one run, from joining the run to the end.
type session struct {
	conn   *nats.Conn
	entry  *Entry
	at     subjects
	id     string
	worker *Worker
	sim    *omnipitch.Sim

	forget atomic.Uint64 // number of an order; other processes render this and all earlier orders
	heard  atomic.Int64  // wall time of the run's last message, in Unix nanoseconds
	over   chan error    // receives the reason for which the session ends
	buffer []byte        // used by the method send
}

// ends makes the session end for the given reason. It has no effect if the session is ending already.
func (s *session) ends(reason error) {
	select {
	case s.over <- reason:
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
		err = s.join(ctx) // join only after subscribing, because a fast run sends orders at once
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
		_ = s.conn.Publish(s.at.here(s.id), []byte("leaves")) // otherwise the run notices that the worker is silent
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

// fail tells the run that a frame of an order cannot be rendered, with the error as the reason.
func (s *session) fail(order uint64, frame int, err error) {
	text := err.Error()
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
