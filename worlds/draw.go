package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// maxTries bounds how often a world is drawn until nothing refuses what was drawn.
const maxTries = 1000

// seedIn returns the seed that the highest of a world's files gives.
func seedIn(files []*schema.File) uint64 {
	for i := len(files) - 1; i >= 0; i-- {
		if key := files[i].Root().Get("seed"); key != nil {
			seed, _ := key.Value().(int64) // what else it may be is reported where it is bound
			return uint64(seed)
		}
	}
	return defaultWorld().Seed
}

// draw binds a world's files. Where they have random values it does so again until nothing refuses what they are. The world is nil if each try was refused,
// and there with the error if something in the files is wrong.
func (s *sources) draw(filename string, bases []*schema.File, seed uint64) (*World, error) {
	file := s.file(filename)
	var all refusals
	for try := range uint64(maxTries) {
		w := defaultWorld()
		w.file = file
		file.Draw(schema.Draws{Seed: seed, Try: try, Judged: s.judged || try > 0})
		root := file.Root().Over(schema.Roots(bases)...)
		var err error
		s.defaults, err = s.defaultsIn(root)
		if err = errors.Join(err, root.Bind(&w)); err == nil && !file.Random() { // else another draw may use them
			err = s.defaults.unused(filename)
		}
		w.Seed = seed
		w.fail(err)
		w.assignNumbers()
		if err != nil || !file.Random() {
			return &w, err
		}
		refused := schema.Flatten(w.refused())
		if len(refused) == 0 {
			return &w, nil
		}
		all.add(refused)
	}
	return nil, file.Locate(all.most(seed))
}

// placed is, by the lists of a [physics.Model], where their bodies are in a file, and which of their keys say what place they take.
var placed = map[string]struct {
	list string
	by   []string
}{
	"Robots":    {"robot", []string{"pose", "model", "body"}},
	"Obstacles": {"obstacle", []string{"pose", "size_x_m", "size_y_m", "height_m"}},
	"Ball":      {"ball", []string{"x_m", "y_m", "z_m", "radius_m"}},
}

// refused returns what speaks against a world that was drawn, so that it is drawn again: [schema.Violation]s.
func (w *World) refused() error {
	m, drawn := w.Model(), w.file.Drawn()
	return schema.InKeys(m, m.ValidatePlaces(func(body string) bool {
		list, index, _ := strings.Cut(body, "[")
		p := placed[list]
		return slices.ContainsFunc(p.by, func(key string) bool { return drawn[strings.TrimSuffix(p.list+"["+index, "[")+"."+key] })
	}))
}

// Random tells whether anything in the world was drawn: it is another one with another seed.
func (w *World) Random() bool { return w.file != nil && w.file.Random() }

// refusals counts by which rules the tries of a world were refused.
type refusals struct {
	count map[string]int
	first []*schema.Violation // one for each key, in the order in which they came
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
		at := v.Path + "." + v.Key
		if r.count[at]++; r.count[at] == 1 {
			r.first = append(r.first, v)
		}
	}
}

// most names the rule that refused most tries.
func (r *refusals) most(seed uint64) error {
	var most *schema.Violation
	n := 0
	for _, v := range r.first {
		if c := r.count[v.Path+"."+v.Key]; c > n {
			most, n = v, c
		}
	}
	v := *most
	v.Rule += fmt.Sprintf("; with seed %d it was so in %d of %d tries, and in none nothing was refused", seed, n, maxTries)
	return &v
}
