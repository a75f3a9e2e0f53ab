package python

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch"
)

const (
	// maxMessage is the largest size of a request, in bytes. A world file has at most 1 MiB.
	maxMessage = 4 << 20
	// spin is how long the server looks for the next request before it sleeps. To wake a sleeping process takes longer
	// than to answer many a request. It is a guess.
	spin = 100 * time.Microsecond
	// rest is for how many requests the server does not spin after it has spun in vain.
	rest = 64
	// stopCheck is how often a long request looks for the request stop. It is a guess.
	stopCheck = 20 * time.Millisecond
	// maxSimulations bounds the simulations of one process. It is a guess.
	maxSimulations = 4096
	// maxStep is the longest sim time of one request.
	maxStep = 24 * time.Hour
)

// request is a message from Python.
type request struct {
	Op          string      `json:"op"` // a key of operations
	Open        openRequest `json:"open"`
	Simulations []int       `json:"simulations"` // numbers of simulations; see operation

	For time.Duration `json:"for_ns"` // of step; of seek, the time; of report, the stamp
	// Do is the action of do, a JSON object with one key as in world files.
	Do    json.RawMessage `json:"do"`
	Seeds []*uint64       `json:"seeds"` // of reset, one for each simulation; null: the seed stays
	State int             `json:"state"` // number of a saved state, of restore and forget

	Options json.RawMessage `json:"options"` // of dataset; of report, the reports
	Number  int             `json:"number"`  // of the image to draw
	Name    string          `json:"name"`    // ROBOT.SENSOR of rays and picture
}

// reply is a message to Python. Error is empty unless the request failed.
type reply struct {
	Error  string   `json:"error,omitempty"`
	Kind   string   `json:"kind,omitempty"` // of the error: input, or run
	Opened *opened  `json:"opened,omitempty"`
	Tasks  *tasks   `json:"tasks,omitempty"`
	State  int      `json:"state,omitempty"` // number of the state that save has saved
	Size   int      `json:"size,omitempty"`  // of the shared memory in bytes, if it has changed
	News   []update `json:"news,omitempty"`

	// Result is what a request asks for, as JSON: of dataset, the numbers of its categories; of draw, the image's
	// labels; of report and finish, the assessment; of picture, a PNG file in base64.
	Result  json.RawMessage `json:"result,omitempty"`
	Pixels  []Pixels        `json:"pixels,omitempty"`
	Stopped bool            `json:"stopped,omitempty"` // reply to stop
}

// update is what has changed in a simulation, apart from its table: the forms and the verdicts from two indices on.
type update struct {
	Simulation   int           `json:"simulation"`
	FormsFrom    int           `json:"forms_from"`
	Forms        []formJSON    `json:"forms"`
	VerdictsFrom int           `json:"verdicts_from"`
	Verdicts     []verdictJSON `json:"verdicts"`
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
	in     *os.File
	reader *bufio.Reader
	last   []byte   // the newest request
	parsed *request // the same, parsed
	rest   int      // for how many requests the server will not spin
	told   int      // size of the shared memory that Python knows

	memory *memory
	cache  omnipitch.Cache
	all    []*simulation // nil once closed
	states map[int]*saved
	next   int // number of the next saved state

	hooks    Hooks
	labelled labelled
}

// Hooks are parts of the program that Python can use, too. Each may be nil.
type Hooks struct {
	OpenDataset OpenDataset
	Assess      Assess
	// Picture returns a PNG file of what a camera ROBOT.SENSOR sees now or, if the name is empty, of the place from
	// above.
	Picture func(sim *omnipitch.Sim, name string) ([]byte, error)
}

// Serve answers the requests that in delivers, until in ends. The argument fd is the number of an empty file that
// becomes the shared memory. Requests that fail are answered with an error. Serve itself fails if a request is too long
// and if there is no shared memory.
func Serve(in, out *os.File, fd int, hooks Hooks) error {
	m, err := mapMemory(fd)
	if err != nil {
		return err
	}
	defer m.close()
	s := &server{in: in, reader: bufio.NewReaderSize(in, maxMessage), memory: m, states: map[int]*saved{}, next: 1,
		hooks: hooks}
	defer s.close()
	for {
		line, err := s.receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.send(out, s.answer(line)); errors.Is(err, syscall.EPIPE) {
			return nil // Python has ended
		} else if err != nil {
			return err
		}
	}
}

// receive returns the next request. It is valid until the next call.
func (s *server) receive() ([]byte, error) {
	if s.rest--; s.rest < 0 {
		for began := time.Now(); !s.pending(); {
			if time.Since(began) > spin {
				s.rest = rest
				break
			}
		}
	}
	line, err := s.reader.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("request: must have at most %d bytes", maxMessage)
	}
	return line, err
}

// pending reports whether Python has sent something that is not read yet, or has ended.
func (s *server) pending() bool { return s.reader.Buffered() > 0 || readable(s.in) }

// running is the context of a request. It ends soon after Python has sent something, which can only be request stop,
// or has ended. One thread reads all requests, because handing them from one thread to another would take longer than
// a step.
type running struct {
	context.Context
	server *server
	look   atomic.Int64 // when to look next, in ns since began
	began  time.Time
	ended  atomic.Bool
}

func (r *running) Err() error {
	if r.ended.Load() {
		return context.Canceled
	}
	now, look := time.Since(r.began), r.look.Load()
	if int64(now) < look || !r.look.CompareAndSwap(look, int64(now+stopCheck)) || !r.server.pending() {
		return nil
	}
	r.ended.Store(true)
	return context.Canceled
}

// parse returns a request. Programs in Python send the same steps again and again, so these are not parsed again.
func (s *server) parse(line []byte) (*request, error) {
	if s.parsed != nil && bytes.Equal(line, s.last) {
		return s.parsed, nil
	}
	r := &request{}
	if err := json.Unmarshal(line, r); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	s.last, s.parsed = append(s.last[:0], line...), r
	return r, nil
}

func (s *server) send(out *os.File, a reply) error {
	if size := s.memory.mapped(); size != s.told {
		a.Size, s.told = size, size
	}
	body, err := json.Marshal(a)
	if err == nil {
		_, err = out.Write(append(body, '\n'))
	}
	return err
}

func (s *server) close() {
	s.labelled.close()
	for _, one := range s.all {
		if one != nil {
			one.close()
		}
	}
}

func (s *server) answer(line []byte) (a reply) {
	r, err := s.parse(line)
	if err == nil {
		ctx := &running{Context: context.Background(), server: s, began: time.Now()}
		ctx.look.Store(int64(stopCheck))
		err = s.carryOut(ctx, r, &a)
	}
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
	op, ok := operations[r.Op]
	if !ok {
		return inputError{fmt.Errorf("request %q: is unknown", r.Op)}
	}
	c := &call{s, ctx, r, a, make([]*simulation, len(r.Simulations))}
	for i, n := range r.Simulations {
		if n < 0 || n >= len(s.all) || s.all[n] == nil {
			return inputError{fmt.Errorf("simulation %d: is closed", n)}
		}
		c.chosen[i] = s.all[n]
	}
	err := op.carryOut(c)
	for i, one := range c.chosen {
		a.News = one.appendNews(a.News, r.Simulations[i])
	}
	return err
}
