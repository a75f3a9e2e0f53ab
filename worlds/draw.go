package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// MaxDraws is the largest number of draws of a world until one is accepted.
const MaxDraws = 1000

// seedIn returns the seed of the topmost file that gives one.
func seedIn(files []*schema.File) uint64 {
	for i := len(files) - 1; i >= 0; i-- {
		if key := files[i].Root().Get("seed"); key != nil {
			seed, _ := key.Value().(int64) // binding reports other types
			return uint64(seed)
		}
	}
	return defaultWorld().Seed
}

// draw binds a world's files. If they have random values, it repeats that until a draw is accepted. If the files have
// errors, it returns the world with them; if every draw was refused, the world is nil.
func (s *sources) draw(filename string, bases []*schema.File, seed uint64) (*World, error) {
	file := s.file(filename)
	empty := defaultWorld()
	var all refusals
	var wrong error // errors of the files: the first draw finds all that do not depend on draws
	for try := range uint64(MaxDraws) {
		w := empty
		w.file = file
		file.Draw(schema.Draws{Seed: seed, Try: try, Judged: s.judged || try > 0})
		root := file.Root().Over(schema.Roots(bases)...)
		var err error
		s.defaults, err = s.defaultsIn(root)
		if err = errors.Join(err, root.Bind(&w)); err == nil && !file.Random() { // otherwise another draw may use them
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

// placed maps the lists of a [physics.Model] to their keys in a file, and to those keys that affect the place of a
// body.
var placed = map[string]struct {
	list string
	by   []string
}{
	"Robots":    {"robot", []string{"pose", "model", "body"}},
	"Obstacles": {"obstacle", []string{"pose", "size_x_m", "size_y_m", "height_m"}},
	"Ball":      {"ball", []string{"x_m", "y_m", "z_m", "radius_m"}},
}

// refused returns the [schema.Violation]s because of which a drawn world must be drawn again.
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

// firstKey returns the first key of a path.
func firstKey(path string) string {
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}

// judgedHere reports whether only the world itself judges the drawn values: places, motion, light and events.
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

// Random reports whether anything in the world was drawn, so that another seed gives another world.
func (w *World) Random() bool { return w.draws > 0 }

// Draws returns the number of draws until one was accepted; 0 if nothing is random.
func (w *World) Draws() int { return w.draws }

// ofSeed adds to each error the seed with which it occurs.
func ofSeed(err error, seed uint64) error {
	list := schema.Flatten(err)
	for i := range list {
		if e, ok := list[i].(*schema.Error); ok {
			list[i] = e.Given(fmt.Sprintf("seed = %d", seed))
		}
	}
	return errors.Join(list...)
}

// refusals counts the rules by which draws of a world were refused.
type refusals struct {
	count map[string]int
	first []*schema.Violation // one for each key, in the order of their occurrence
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

// most returns an error that names the most frequent reason.
func (r *refusals) most(seed uint64) error {
	most := slices.MaxFunc(r.first, func(a, b *schema.Violation) int { return r.count[place(a)] - r.count[place(b)] })
	v := *most
	v.Rule += fmt.Sprintf("; seed %d gives no valid draw in %d, and this rule fails in %d of them", seed, MaxDraws,
		r.count[place(most)])
	return &v
}

func place(v *schema.Violation) string { return v.Path + "." + v.Key }
