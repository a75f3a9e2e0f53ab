package python

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch"
)

const (
	// maxMessage is the largest size of a request, in bytes. A world file has at most 1 MiB.
	maxMessage = 4 << 20
	// maxSimulations bounds the simulations of one process. It is a guess.
	maxSimulations = 4096
	// maxStep is the longest sim time of one request.
	maxStep = 24 * time.Hour
)

// request is a message from Python.
type request struct {
	// Op is open, step, do, reset, seek, save, restore, forget, close or stop.
	Op          string      `json:"op"`
	Open        openRequest `json:"open"`
	Simulations []int       `json:"simulations"` // numbers of simulations; step and reset may name several
	For         int64       `json:"for_ns"`      // of step; of seek, the time
	// Do is the action of do, a JSON object with one key as in world files.
	Do    json.RawMessage `json:"do"`
	Seeds []*uint64       `json:"seeds"` // of reset, one for each simulation; null: the seed stays
	State int             `json:"state"` // number of a saved state, of restore and forget
}

// reply is a message to Python. Error is empty unless the request failed.
type reply struct {
	Error  string   `json:"error,omitempty"`
	Kind   string   `json:"kind,omitempty"` // of the error: input, or run
	Opened *opened  `json:"opened,omitempty"`
	State  int      `json:"state"` // number of the state that save has saved
	Size   int      `json:"size"`  // of the shared memory, in bytes
	News   []update `json:"news,omitempty"`
}

// update is what has changed in a simulation, apart from its table.
type update struct {
	Simulation int           `json:"simulation"`
	Forms      []formJSON    `json:"forms,omitempty"`
	Verdicts   []verdictJSON `json:"verdicts,omitempty"`
}

// verdictJSON is the verdict on an expectation of the world.
type verdictJSON struct {
	Name     string  `json:"name"`
	Outcome  string  `json:"outcome"`
	At       float64 `json:"at_s"`
	Expected string  `json:"expected"`
	Was      string  `json:"was"`
}

// inputError is an error that is Python's fault. The simulations still run.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// server answers the requests of one Python program.
type server struct {
	memory *memory
	cache  omnipitch.Cache
	all    []*simulation // nil once closed
	states map[int]*saved
	next   int // number of the next saved state
}

// Serve answers the requests that in delivers, until in ends. The argument fd is the number of an empty file that
// becomes the shared memory. Requests that fail are answered with an error; Serve itself fails if in delivers no
// request, and if there is no shared memory.
func Serve(in, out *os.File, fd int) error {
	m, err := mapMemory(fd)
	if err != nil {
		return err
	}
	defer m.close()
	s := &server{memory: m, states: map[int]*saved{}}
	defer s.close()
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		next, err := receive(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if next.Op == "stop" {
			continue // the request that it should stop has already ended
		}
		ctx, end := untilReadable(in)
		answer := s.answer(ctx, next)
		end()
		answer.Size = m.mapped()
		if err := send(w, answer); errors.Is(err, syscall.EPIPE) {
			return nil // Python has ended
		} else if err != nil {
			return err
		}
	}
}

// stopCheck is how often a long request looks for the request stop. It is a guess.
const stopCheck = 20 * time.Millisecond

// untilReadable returns a context that ends soon after Python has sent something, which can only be the request stop,
// or has ended. Short requests do not look: this thread reads all requests, because handing them from one thread to
// another would take longer than a step.
func untilReadable(in *os.File) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	var look func()
	look = func() {
		switch {
		case ctx.Err() != nil:
		case readable(in):
			cancel()
		default:
			time.AfterFunc(stopCheck, look)
		}
	}
	first := time.AfterFunc(stopCheck, look)
	return ctx, func() { first.Stop(); cancel() }
}

func receive(in io.Reader) (*request, error) {
	var n uint32
	if err := binary.Read(in, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	if n > maxMessage {
		return nil, fmt.Errorf("request of %d bytes: must be at most %d", n, maxMessage)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, in, int64(n)); err != nil {
		return nil, err
	}
	r := &request{}
	if err := json.Unmarshal(body.Bytes(), r); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	return r, nil
}

func send(w *bufio.Writer, r reply) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, uint32(len(body))); err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Flush()
}

func (s *server) close() {
	for _, one := range s.all {
		if one != nil {
			one.close()
		}
	}
}

func (s *server) answer(ctx context.Context, r *request) (a reply) {
	err := s.carryOut(ctx, r, &a)
	if err == nil {
		return a
	}
	a.Error, a.Kind = err.Error(), "run"
	if _, ok := errors.AsType[inputError](err); ok {
		a.Kind = "input"
	}
	return a
}

func (s *server) carryOut(ctx context.Context, r *request, a *reply) error {
	if r.Op == "open" {
		return s.open(r, a)
	}
	chosen := make([]*simulation, len(r.Simulations))
	for i, n := range r.Simulations {
		if n < 0 || n >= len(s.all) || s.all[n] == nil {
			return inputError{fmt.Errorf("simulation %d: is closed", n)}
		}
		chosen[i] = s.all[n]
	}
	err := s.change(ctx, r, chosen, a)
	for i, one := range chosen {
		if forms, verdicts := one.news(); len(forms)+len(verdicts) > 0 {
			a.News = append(a.News, update{r.Simulations[i], forms, verdicts})
		}
	}
	return err
}

// change carries out a request for the chosen simulations.
func (s *server) change(ctx context.Context, r *request, chosen []*simulation, a *reply) error {
	switch r.Op {
	case "save":
		if len(chosen) != 1 {
			return inputError{fmt.Errorf("save: %d simulations", len(chosen))}
		}
		state, err := chosen[0].save()
		if err == nil {
			a.State, s.next = s.next, s.next+1
			s.states[a.State] = state
		}
		return err
	case "restore":
		state := s.states[r.State]
		if state == nil {
			return inputError{errors.New("restore: the state is of another process")}
		}
		return each(chosen, func(_ int, one *simulation) error { return one.restore(state) })
	case "forget":
		delete(s.states, r.State)
		return nil
	case "step":
		if r.For <= 0 || r.For > int64(maxStep) {
			return inputError{fmt.Errorf("step: %v ms: must lie in (0, %d]", float64(r.For)/1e6,
				maxStep.Milliseconds())}
		}
		return each(chosen, func(_ int, one *simulation) error { return one.advance(ctx, time.Duration(r.For)) })
	case "seek":
		return each(chosen, func(_ int, one *simulation) error { return one.seek(ctx, time.Duration(r.For)) })
	case "reset":
		if len(r.Seeds) != len(chosen) {
			return inputError{fmt.Errorf("reset: %d seeds for %d simulations", len(r.Seeds), len(chosen))}
		}
		return each(chosen, func(i int, one *simulation) error { return one.reset(ctx, r.Seeds[i]) })
	case "do":
		return each(chosen, func(_ int, one *simulation) error { return one.do(r.Do) })
	case "close":
		for i, n := range r.Simulations {
			chosen[i].close()
			s.all[n] = nil
		}
		return nil
	}
	return inputError{fmt.Errorf("request %q: is unknown", r.Op)}
}

// each calls f for several simulations in parallel. It returns the error of the first one that fails.
func each(chosen []*simulation, f func(i int, one *simulation) error) error {
	if len(chosen) == 1 {
		return f(0, chosen[0])
	}
	errs := make([]error, len(chosen))
	var all sync.WaitGroup
	for i, one := range chosen {
		all.Go(func() { errs[i] = f(i, one) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// open starts a simulation and describes it to Python.
func (s *server) open(r *request, a *reply) error {
	if len(s.all) == maxSimulations {
		return inputError{fmt.Errorf("simulations: must be at most %d in one process", maxSimulations)}
	}
	one, o, err := open(&r.Open, s.memory, &s.cache)
	if err != nil {
		return err
	}
	o.Simulation, o.Forms = len(s.all), one.table.newForms()
	s.all = append(s.all, one)
	a.Opened = &o
	return nil
}
