package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/recorder"
)

// Comparison is how two recorded runs, A and B, differ.
type Comparison struct {
	// Differences are the first ones of each kind, in the order of their places; of the same step the cause first.
	// None: it is the same run.
	Differences []Difference
	// Made is how the recordings were made differently: by which version of the program, on which kind of machine. It
	// is no difference of runs.
	Made []Difference
	// Steps is how many states were compared, and are the same.
	Steps int64
	// Unnamed says why no quantity is named in which states differ: they were recorded as hashes, and a run cannot be
	// made again.
	Unnamed error
}

// Difference is where, and in what, two recorded runs differ.
type Difference struct {
	Of   string // seed, world, input, state, episodes, length; or a key of recordings' metadata
	At   *Place // nil: before the first step
	What string // file, line and table of a world; quantity of a state; empty if Of says it
	A, B string
}

// Place is a step of a recorded run.
type Place struct {
	Episode int // counted from 0
	Step    int64
	Time    time.Duration // since the recorded run began
}

// place returns a step's.
func (r *Recording) place(episode int, step int64) *Place {
	return &Place{episode, step, r.Episodes[episode].Began + time.Duration(step)*r.World.Time.Step}
}

// before tells whether p comes before q.
func (p *Place) before(q *Place) bool {
	return slices.Compare([]int64{int64(p.Episode), p.Step}, []int64{int64(q.Episode), q.Step}) < 0
}

// order is the order of differences: by episode and step, an input before the state that it changes.
func (d *Difference) order() []int64 {
	switch at := d.At; {
	case at == nil:
		return nil
	case d.Of == "state", d.Of == "length":
		return []int64{int64(at.Episode), at.Step, 1}
	default:
		return []int64{int64(at.Episode), at.Step, 0}
	}
}

// nothing is what one run has in place of what the other has.
const nothing = "nothing"

// Compare compares two recordings. States that were recorded as hashes alone it makes again, by running both up to the
// step at which they differ, of which it tells notify. A recording that did not end is compared as far as it goes. It
// ends with ctx.
func Compare(ctx context.Context, a, b *Recording, notify func(text string)) (*Comparison, error) {
	x := comparison{a: a, b: b, notify: notify}
	x.seeds()
	x.inputs()
	if err := errors.Join(x.worlds(), x.states(ctx)); err != nil {
		return nil, err
	}
	x.lengths()
	slices.SortStableFunc(x.Differences, func(p, q Difference) int { return slices.Compare(p.order(), q.order()) })
	for _, key := range []string{recorder.Version, recorder.Machine, recorder.InstructionSet, recorder.Renderer} {
		if a, b := a.Metadata()[key], b.Metadata()[key]; a != b {
			x.Made = append(x.Made, Difference{Of: key, A: a, B: b})
		}
	}
	return &x.Comparison, nil
}

// comparison is a Comparison that is made.
type comparison struct {
	Comparison
	a, b   *Recording
	notify func(string)
	cache  omnipitch.Cache // of runs that are made again
}

func (x *comparison) differ(of string, at *Place, what string, a, b any) {
	x.Differences = append(x.Differences, Difference{of, at, what, fmt.Sprint(a), fmt.Sprint(b)})
}

// episodes is how many both have.
func (x *comparison) episodes() int { return min(len(x.a.Episodes), len(x.b.Episodes)) }

// seeds compares the seeds of each beginning of the world.
func (x *comparison) seeds() {
	for e := range x.episodes() {
		if a, b := x.a.Episodes[e].Seed, x.b.Episodes[e].Seed; a != b {
			var at *Place
			if e > 0 {
				at = x.a.place(e, 0)
			}
			x.differ("seed", at, "", a, b)
			return
		}
	}
}

// lengths compares how often the worlds began, and how long they went on.
func (x *comparison) lengths() {
	a, b, n := x.a, x.b, x.episodes()
	for e := range n - 1 {
		if s, t := a.Episodes[e].Steps, b.Episodes[e].Steps; s != t {
			x.differ("episodes", a.place(e, min(s, t)), fmt.Sprintf("steps of episode %d", e), s, t)
			break
		}
	}
	longer, shorter := a, b
	if len(b.Episodes) > n {
		longer = b
	}
	if len(longer.Episodes) > n {
		x.differ("episodes", longer.place(n, 0), "", len(a.Episodes), len(b.Episodes))
	}
	if s, t := a.Length(), b.Length(); s != t {
		if s < t {
			shorter = a
		}
		last := len(shorter.Episodes) - 1
		x.differ("length", shorter.place(last, shorter.Episodes[last].Steps), "", s, t)
	}
}
