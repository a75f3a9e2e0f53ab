package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/render/backend"
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
	joinsAgain    = 5 * time.Second // period of joining again, in case the run has forgotten the worker
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

// find returns the run that has the fewest workers. Runs in the argument but do not count. If the only runs are about
// to start, find waits for them. Without a run it returns nil.
func (w *Worker) find(ctx context.Context, conn *nats.Conn, but map[string]bool) (found *Entry, err error) {
	for {
		found, begins, err := w.askRuns(ctx, conn, but)
		if found != nil || !begins || err != nil {
			return found, err
		}
	}
}

// askRuns asks all runs to answer, and returns the run that has the fewest workers, or nil. Runs in the argument but do
// not count. begins is true if a run is about to start.
func (w *Worker) askRuns(ctx context.Context, conn *nats.Conn, but map[string]bool) (found *Entry, begins bool,
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
		if e.ID == "" || but[e.ID] || !(e.Lease > 0) || e.World < 0 || e.World > mostWorld {
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
	s := newSession(conn, e, w)
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
	if s.sim, err = w.NewSim(world, e.Renderer, e.Samples); err != nil {
		return 0, fmt.Errorf("%w: run %s draws by %s, this worker cannot: %w", ErrRefused, e.Name, e.Renderer, err)
	}
	defer s.sim.Close()
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
