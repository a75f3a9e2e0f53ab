package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// MaxDraws limits how often the random values of a world are drawn again because the world was refused.
const MaxDraws = 1000

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

// draw binds the files of a world. If the files have random values, it draws these values and binds the files, and
// repeats both until the world is accepted. If the files have errors, draw returns the world together with the errors.
// If every draw was refused, the returned world is nil.
func (s *sources) draw(filename string, bases []*schema.File, seed uint64) (*World, error) {
	file := s.file(filename)
	empty := defaultWorld()
	var all refusals
	var wrong error // errors of the files: the first draw finds all errors that do not depend on random values
	for try := range uint64(MaxDraws) {
		w := empty
		w.file = file
		file.Draw(schema.Draws{Seed: seed, Try: try, Judged: s.judged || try > 0})
		root := file.Root().Over(schema.Roots(bases)...)
		var err error
		s.defaults, err = s.defaultsIn(root)
		// In a random world, a table that no robot uses is no error: another draw may use it.
		if err = errors.Join(err, root.Bind(&w)); err == nil && !file.Random() {
			err = s.defaults.unused(filename)
		}
		if wrong == nil {
			wrong = err
		}
		w.Seed = seed
		w.fail(wrong)
		w.assignNumbers()
		if !file.Random() {
			return &w, wrong
		}
		w.draws = int(try) + 1
		if !w.physicsRead() {
			return &w, wrong
		}
		refused := schema.Flatten(w.refused())
		if len(refused) == 0 {
			return &w, wrong
		}
		all.add(refused)
	}
	return nil, errors.Join(schema.Flatten(errors.Join(wrong, file.Locate(all.most(seed))))...)
}

// placed maps the name of each list in a [physics.Model] to a pair: the key of the list in a file, and the keys of its
// elements that affect a body's place.
var placed = map[string]struct {
	list string
	by   []string
}{
	"Robots":    {"robot", []string{"pose", "model", "body"}},
	"Obstacles": {"obstacle", []string{"pose", "size_x_m", "size_y_m", "height_m"}},
	"Props":     {"prop", []string{"hang", "file", "scale", "collides"}},
	"Ball":      {"ball", []string{"x_m", "y_m", "z_m", "radius_m"}},
}

// refused returns the [schema.Violation]s because of which the random values of a world must be drawn again.
func (w *World) refused() error {
	m, drawn := w.Model(), w.file.Drawn()
	places := m.ValidatePlaces(func(body string) bool {
		list, index, _ := strings.Cut(body, "[")
		p := placed[list]
		return slices.ContainsFunc(drawn, func(path string) bool {
			key, below := strings.CutPrefix(path, strings.TrimSuffix(p.list+"["+index, "[")+".")
			return below && slices.Contains(p.by, firstKey(key))
		})
	})
	return errors.Join(schema.InKeys(m, places), w.unmet(start{w, m, m.Start()}))
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
		case "robot":
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
func (r *refusals) most(seed uint64) error {
	most := slices.MaxFunc(r.first, func(a, b *schema.Violation) int { return r.count[place(a)] - r.count[place(b)] })
	v := *most
	v.Rule += fmt.Sprintf("; seed %d gives no valid draw in %d, and this rule fails in %d of them", seed, MaxDraws,
		r.count[place(most)])
	return &v
}

func place(v *schema.Violation) string { return v.Path + "." + v.Key }
