package worlds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// seedIn returns the seed from the topmost of the files that give a seed.
func seedIn(files []*schema.File) uint64 {
	for i := len(files) - 1; i >= 0; i-- {
		if key := files[i].Root().Get("seed"); key != nil {
			seed, _ := key.Value().(int64) // a seed of another type is reported when the file is bound
			return uint64(seed)
		}
	}
	return defaultWorld().Seed
}

// draw binds the files of a world. If the files have random values, it draws these values until the world is accepted.
// If the files have errors, draw returns the world together with the errors. If no draw was accepted, or if ctx ends
// before, the returned world is nil.
func (s *sources) draw(ctx context.Context, filename string, bases []*schema.File, seed uint64) (*World, error) {
	d := drawing{sources: s, ctx: ctx, filename: filename, file: s.file(filename), bases: bases, seed: seed}
	d.bind()
	if !d.file.Random() {
		return d.world, d.wrong
	}
	w, err := d.search()
	s.work = d.work()
	return w, err
}

// firstKey returns the first key in a path.
func firstKey(path string) string {
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}

// judgedHere reports whether all random values are places, motion, light and events. Package worlds checks these values
// itself. No check of another package depends on them.
func (w *World) judgedHere() bool {
	return !slices.ContainsFunc(w.file.Drawn(), func(path string) bool {
		switch _, key, _ := strings.Cut(path, "]."); firstKey(path) {
		case "ball", "light", "event", "expect", "require", "obstacle":
			return false
		case "robot", "box", "cylinder":
			return firstKey(key) != "pose"
		}
		return true
	})
}

// Random reports whether any value of the world was drawn at random. If so, another seed gives another world.
func (w *World) Random() bool { return w.draws > 0 }

// Draws returns how many times the random values were drawn until they were accepted. It is 0 if the world has no
// random values.
func (w *World) Draws() int { return w.draws }

// ofSeed adds to each error the seed with which the error occurs.
func ofSeed(err error, seed uint64) error {
	list := schema.Flatten(err)
	for i := range list {
		if e, ok := list[i].(*schema.Error); ok {
			list[i] = e.Given(fmt.Sprintf("seed = %d", seed))
		}
	}
	return errors.Join(list...)
}

// refusals counts, for each rule, how many draws of a world the rule refused.
type refusals struct {
	count map[string]int
	first []*schema.Violation // first violation of each key, in the order in which they occurred
}

func (r *refusals) add(refused []error) {
	if r.count == nil {
		r.count = map[string]int{}
	}
	for _, err := range refused {
		v, ok := errors.AsType[*schema.Violation](err)
		if !ok {
			v = &schema.Violation{Rule: err.Error()}
		}
		if r.count[place(v)]++; r.count[place(v)] == 1 {
			r.first = append(r.first, v)
		}
	}
}

// most returns an error that names the most frequent reason for refusing a draw.
func (r *refusals) most(seed uint64, draws int) error {
	most := slices.MaxFunc(r.first, func(a, b *schema.Violation) int { return r.count[place(a)] - r.count[place(b)] })
	v := *most
	v.Rule += fmt.Sprintf("; seed %d gives no valid draw in %d, and this rule fails in %d of them", seed, draws,
		r.count[place(most)])
	return &v
}

func place(v *schema.Violation) string { return v.Path + "." + v.Key }
