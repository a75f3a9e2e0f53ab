package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/recorder"
)

// Comparison describes how two recorded runs, A and B, differ.
type Comparison struct {
	// Differences has the first difference of each kind, ordered by the steps in which they occur. In the same step, a
	// cause comes before its effect. Differences is empty if the runs are the same.
	Differences []Difference
	// Made lists differences in the circumstances of the recordings: the version of the program, and the kind of
	// machine. These do not count as differences between the runs.
	Made []Difference
	// Steps is the number of equal states.
	Steps int64
	// Unnamed is the reason why the quantity in which a state differs is unknown. It is not nil if only hashes of
	// states were recorded and one of the runs cannot be run again.
	Unnamed error
}

// Difference is one difference between two recorded runs.
type Difference struct {
	Of   string // what differs: seed, world, input, state, episodes, length, or a key of the recordings' metadata
	At   *Place // step of the difference; nil if the difference exists before the first step
	What string // the file, line and table of a world, or the quantity of a state; empty if Of is precise enough
	A, B string
}

// Place is a step of a recorded run.
type Place struct {
	Episode int // index of the episode
	Step    int64
	Time    time.Duration // time since the beginning of the recorded run
}

// place returns the place of a step of an episode.
func (r *Recording) place(episode int, step int64) *Place {
	return &Place{episode, step, r.Episodes[episode].Began + time.Duration(step)*r.World.Time.Step}
}

// before reports whether p comes before q.
func (p *Place) before(q *Place) bool {
	return slices.Compare([]int64{int64(p.Episode), p.Step}, []int64{int64(q.Episode), q.Step}) < 0
}

// order returns a key for sorting differences: the episode, the step, and a number that sorts an input before the state
// that it changes.
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

// nothing is the text for a value that one of the two runs does not have.
const nothing = "nothing"

// Compare compares two recordings. If the recordings have only hashes of states, Compare runs both runs again up to the
// first difference, and calls the function notify with a text about this. An incomplete recording is compared up to its
// end. Compare stops when ctx ends.
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

// comparison is a Comparison that is being made.
type comparison struct {
	Comparison
	a, b   *Recording
	notify func(string)
	cache  omnipitch.Cache // cache for recorded runs that are run again
}

func (x *comparison) differ(of string, at *Place, what string, a, b any) {
	x.Differences = append(x.Differences, Difference{of, at, what, fmt.Sprint(a), fmt.Sprint(b)})
}

// episodes returns the number of episodes that both recordings have.
func (x *comparison) episodes() int { return min(len(x.a.Episodes), len(x.b.Episodes)) }

// seeds compares the seeds of each episode.
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

// lengths compares the numbers of episodes, and the length of each episode.
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

// worlds finds the first line that differs between the world files attached to the recordings.
func (x *comparison) worlds() error {
	names := append([]string{"world.toml"}, x.a.Attachments()...)
	names = append(names, x.b.Attachments()...)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		a, was, err := x.a.file(name)
		if err != nil {
			return fmt.Errorf("A: %w", err)
		}
		b, is, err := x.b.file(name)
		if err != nil {
			return fmt.Errorf("B: %w", err)
		}
		switch {
		case strings.HasPrefix(name, "drawn-") && was != is, bytes.Equal(a, b) && was == is:
			continue
		case was != is:
			x.differ("world", nil, name, there(was), there(is))
		case !utf8.Valid(a) || !utf8.Valid(b):
			x.differ("world", nil, name, fmt.Sprintf("%d bytes", len(a)), fmt.Sprintf("%d other bytes", len(b)))
		default:
			where, p, q := differingLine(string(a), string(b))
			if where == "" {
				continue
			}
			x.differ("world", nil, name+where, p, q)
		}
		return nil
	}
	return nil
}

// file returns the content of an attached file. ok is false if the recording has no file of that name.
func (r *Recording) file(name string) (data []byte, ok bool, err error) {
	if !slices.Contains(r.Attachments(), name) {
		return nil, false, nil
	}
	file, err := r.Attachment(name)
	return file.Data, true, err
}

func there(is bool) string {
	if is {
		return "has it"
	}
	return nothing
}

// differingLine finds the first line in which two texts differ. It returns the line in text a (was) and the line in
// text b (is). It ignores differences between seeds, which are compared elsewhere. where is the place of the line in a:
// the number of the line and, for TOML, the table with its name and the name of its parent. An example is ":12,
// [[robot.sensor]] omni of cyan1".
func differingLine(a, b string) (where, was, is string) {
	p, q := strings.Split(a, "\n"), strings.Split(b, "\n")
	var table, name, outer string // outer is the name of the parent table
	for i := range max(len(p), len(q)) {
		was, is = lineOf(p, i), lineOf(q, i)
		if was != is && !(table == "" && strings.HasPrefix(was, "seed = ") && strings.HasPrefix(is, "seed = ")) {
			where = fmt.Sprintf(":%d", i+1)
			if table != "" {
				where += ", " + table
			}
			if name != "" && name != outer {
				where += " " + name
			}
			if strings.Contains(table, ".") && outer != "" {
				where += " of " + outer
			}
			return where, was, is
		}
		switch text, isName := strings.CutPrefix(was, "name = "); {
		case strings.HasPrefix(was, "["):
			table, name = was, ""
			if !strings.Contains(table, ".") {
				outer = ""
			}
		case isName && strings.HasPrefix(table, "[["):
			if name = strings.Trim(text, `"`); !strings.Contains(table, ".") {
				outer = name
			}
		}
	}
	return "", "", ""
}

func lineOf(lines []string, i int) string {
	if i >= len(lines) {
		return nothing
	}
	return strings.TrimSpace(lines[i])
}
