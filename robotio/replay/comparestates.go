package replay

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/worlds"
)

// states finds the first state that differs between the runs.
func (x *comparison) states(ctx context.Context) error {
	for e := range x.episodes() {
		compare := x.hashes
		if x.a.Exact && x.b.Exact {
			compare = x.exact
		}
		if differ, err := compare(ctx, e); differ || err != nil {
			return err
		}
	}
	return nil
}

// exact compares every recorded exact state of an episode. differ reports whether a state differs.
func (x *comparison) exact(ctx context.Context, episode int) (differ bool, err error) {
	a, err := x.a.rows("A", episode, 0)
	if err != nil {
		return false, err
	}
	b, err := x.b.rows("B", episode, 0)
	if err != nil {
		return false, err
	}
	model, last := x.a.World.Model(), int64(-1)
	differ, err = inStep(ctx, a, b, func() bool {
		if a.step != b.step || a.settled != b.settled { // only one of the runs placed a body in this step
			first := min(a.step, b.step)
			more := func(r *rows) bool { return r.step == first && (r.settled || a.step != b.step) }
			x.differ("state", x.a.place(episode, first), "a body is placed in this step", more(a), more(b))
			return true
		}
		if d, differ := track.Diff(&a.state, &b.state, model); differ {
			x.differ("state", x.a.place(episode, a.step), d.Quantity, d.A, d.B)
			return true
		}
		if a.step != last {
			x.Steps++
		}
		last = a.step
		return false
	})
	// only the first states of the step are equal, so the step does not count
	if differ && min(a.step, b.step) == last {
		x.Steps--
	}
	return differ, err
}

// hashes compares the hashes of the states of an episode. differ reports whether a state differs. For the first state
// that differs, hashes finds the quantity that differs.
func (x *comparison) hashes(ctx context.Context, episode int) (differ bool, err error) {
	a, err := x.a.observed("A", episode)
	if err != nil {
		return false, err
	}
	b, err := x.b.observed("B", episode)
	if err != nil {
		return false, err
	}
	differ, err = inStep(ctx, a, b, func() bool {
		if a.hash == b.hash {
			x.Steps++
		}
		return a.hash != b.hash
	})
	if !differ || err != nil {
		return differ, err
	}
	at := x.a.place(episode, a.step)
	was, err := x.stateOf(ctx, x.a, a, at)
	is := was
	if err == nil {
		is, err = x.stateOf(ctx, x.b, b, at)
	}
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	if err != nil {
		x.Unnamed = err
		x.differ("state", at, "hash", fmt.Sprintf("%016x", a.hash), fmt.Sprintf("%016x", b.hash))
		return true, nil
	}
	d, _ := track.Diff(was, is, x.a.World.Model())
	x.differ("state", at, d.Quantity, d.A, d.B)
	return true, nil
}

// interruptedEvery is the number of states between checks of the context.
const interruptedEvery = 1000

// walker visits the states of an episode in order. The method forward moves to the next state, and returns io.EOF after
// the last state.
type walker interface {
	forward() error
	current() int64 // step of the current state
}

// inStep moves two walkers forward together, beginning with the first step that both recordings have. It stops when the
// function differ returns true, or when one recording ends. found is the last result of differ.
func inStep(ctx context.Context, a, b walker, differ func() bool) (found bool, err error) {
	forward := func() error {
		if err := a.forward(); err != nil {
			return err
		}
		return b.forward()
	}
	err = forward()
	for err == nil && a.current() != b.current() { // one recording begins at a later step
		late := a
		if b.current() < a.current() {
			late = b
		}
		err = late.forward()
	}
	for n := 1; err == nil; n++ {
		if differ() {
			return true, nil
		}
		if n%interruptedEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		err = forward()
	}
	if err == io.EOF {
		err = nil
	}
	return false, err
}

// rows visits the exact states of an episode.
type rows struct {
	name    string // name of the recording
	world   *worlds.World
	episode int
	next    func() ([]byte, error)
	block   track.Decoder
	row     int
	state   physics.Snapshot // current state
	step    int64            // step of the current state
	// whether a body was placed after the state of this step had been observed; then state includes the placed body
	settled bool
}

func (r *Recording) rows(name string, episode int, from int64) (*rows, error) {
	source, err := newBlocks(r)
	if err != nil {
		return nil, err
	}
	return &rows{name: name, world: r.World, episode: episode, next: source.From(episode, from)}, nil
}

func (r *rows) current() int64 { return r.step }

func (r *rows) forward() error {
	for r.row++; r.row >= r.block.Len(); r.row = 0 {
		data, err := r.next()
		if err == io.EOF {
			return err
		}
		var h track.Header
		if err == nil {
			h, err = r.block.Decode(data)
		}
		if err != nil {
			return fmt.Errorf("%s: states after step %d: %w", r.name, r.step, err)
		}
		if h.Episode != r.episode {
			return io.EOF
		}
	}
	r.block.State(r.row, &r.state)
	r.step, r.settled = r.block.StepOf(r.row)
	n, m, moving := len(r.state.Robots), len(r.state.Obstacles), len(r.world.AllObstacles())
	if n != len(r.world.Robots) || m != moving {
		return fmt.Errorf("%s: state of step %d: has %d robots and %d obstacles: its world has %d and %d", r.name,
			r.step, n, m, len(r.world.Robots), moving)
	}
	return nil
}

// observed visits the hashes of the observed states of an episode. For steps with exact states it computes the hashes,
// for other steps it uses the recorded hashes.
type observed struct {
	name   string
	hashes []hashes // recorded hashes that have not been visited
	rows   *rows
	ahead  bool // whether rows is already at the next step that has exact states
	step   int64
	hash   uint64
}

func (r *Recording) observed(name string, episode int) (o *observed, err error) {
	o = &observed{name: name, hashes: slices.Clone(r.Episodes[episode].hashes), step: -1}
	if o.rows, err = r.rows(name, episode, 0); err == nil {
		err = o.nextExact()
	}
	return o, err
}

func (o *observed) current() int64 { return o.step }

// nextExact moves to the next exact state, if there is another one.
func (o *observed) nextExact() error {
	err := o.rows.forward()
	if o.ahead = err == nil; err == io.EOF {
		return nil
	}
	return err
}

func (o *observed) forward() error {
	if len(o.hashes) > 0 && (!o.ahead || o.hashes[0].first < o.rows.step) {
		next := &o.hashes[0]
		o.step, o.hash = next.first, next.all[0]
		if next.first, next.all = next.first+1, next.all[1:]; len(next.all) == 0 {
			o.hashes = o.hashes[1:]
		}
		return nil
	}
	if !o.ahead {
		return io.EOF
	}
	o.step, o.hash = o.rows.step, o.rows.state.Hash()
	for {
		if err := o.nextExact(); err != nil || !o.ahead || o.rows.step != o.step {
			return err
		}
		if !o.rows.settled {
			o.hash = o.rows.state.Hash()
		}
	}
}

// stateOf returns the state that belongs to the current hash. It reads the state from the recording, or computes it by
// running the recorded run again.
func (x *comparison) stateOf(ctx context.Context, r *Recording, o *observed, at *Place) (*physics.Snapshot, error) {
	if r.Exact {
		rows, err := r.rows(o.name, at.Episode, at.Step)
		for err == nil {
			if err = rows.forward(); err == nil && rows.step == at.Step && rows.state.Hash() == o.hash {
				return &rows.state, nil
			}
		}
		return nil, err
	}
	x.notify(fmt.Sprintf("running %s again up to step %d", o.name, at.Step))
	sim, err := r.NewSim(ctx, omnipitch.Options{Renderer: r.Metadata()[recorder.Renderer], Cache: &x.cache},
		Config{From: max(at.Time-2*r.World.Time.Step, 0)})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be run again: %w", o.name, err)
	}
	defer sim.Close()
	var state *physics.Snapshot
	sim.OnStep(func(s *physics.Snapshot) {
		if sim.episode == at.Episode && s.Step == at.Step {
			state = s.Clone()
		}
	})
	// the step may be reached only after some states: two before it and, after a restart, one of the preceding episode
	for range 4 {
		if state == nil {
			err = sim.Step()
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be run again: %w", o.name, err)
		}
	}
	if state == nil || state.Hash() != o.hash {
		return nil, fmt.Errorf("%s, run again here, has another state at step %d than its recording: omnipitch "+
			"replay --check finds the first difference", o.name, at.Step)
	}
	return state, nil
}
