package schema

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/rules"
)

// Forms of a distribution: { uniform = [1, 2] }, { normal = [0, 0.5] } and { choice = ["a", "b"] }. A choice may also
// have weights.
const (
	uniform = "uniform"
	normal  = "normal"
	choice  = "choice"
	weights = "weights"
)

// maxCandidates is the largest number of times that a normal number is drawn until the rules of its key accept it.
const maxCandidates = 1000

// Indices of the streams of random numbers that belong to one value.
const (
	streamChoice uint16 = iota
	streamNumber
)

// distributionIn returns the form of the distribution in a value, and the list of the distribution. form is "" if the
// value is not a distribution.
func distributionIn(v *value) (form string, list *value) {
	if v.kind == kindTable {
		for _, form := range []string{uniform, normal, choice} {
			if list := v.table[form]; list != nil {
				return form, list
			}
		}
	}
	return "", nil
}

// wellFormed returns where a distribution breaks the rules of its form, and which rule it breaks. at is nil if the
// distribution breaks no rule.
func wellFormed(v *value, form string, list *value) (at *value, key, rule string) {
	for _, other := range v.keys {
		if other != form && (form != choice || other != weights) {
			return v.table[other], keyText(other), "does not go with " + form
		}
	}
	if form == choice {
		return wellChosen(v, list)
	}
	if list.kind != kindArray || len(list.elems) != 2 {
		return list, form, map[string]string{uniform: "must be [least, most]",
			normal: "must be [mean, deviation]"}[form]
	}
	var ends [2]float64
	for i, e := range list.elems {
		x, ok := e.number()
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
			return e, elemKey(form, i), "must be a finite number"
		}
		ends[i] = x
	}
	if form == uniform && ends[0] > ends[1] {
		return list, form, "must be [least, most]: the first is larger than the second"
	}
	if form == normal && ends[1] < 0 {
		return list.elems[1], elemKey(form, 1), "is the deviation: must not be negative"
	}
	return nil, "", ""
}

func wellChosen(v, list *value) (at *value, key, rule string) {
	if list.kind != kindArray || len(list.elems) == 0 {
		return list, choice, "must be a list of what may be chosen"
	}
	w := v.table[weights]
	if w == nil {
		return nil, "", ""
	}
	if w.kind != kindArray || len(w.elems) != len(list.elems) {
		return w, weights, fmt.Sprintf("must be a list of %d numbers, one for each choice", len(list.elems))
	}
	sum := 0.0
	for i, e := range w.elems {
		x, ok := e.number()
		if !ok || !(x >= 0) || math.IsInf(x, 0) {
			return e, elemKey(weights, i), "must lie in [0, inf)"
		}
		sum += x
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return w, weights, "must have a finite sum above 0"
	}
	return nil, "", ""
}

// choose returns the value that a choice gives. If v is not a choice, it returns v. The alternatives of a choice may
// contain distributions.
func (n *Node) choose(v *value) *value {
	d, given := n.bound.draws, v
	if d == nil {
		return v
	}
	for nested := uint64(0); ; nested++ {
		form, list := distributionIn(v)
		if form != choice {
			break
		}
		if at, _, _ := wellFormed(v, form, list); at != nil {
			break // binding reports the error
		}
		lo, _ := d.source(n.addressOf(given)).Bits(random.Index(streamChoice, nested))
		v = list.elems[pick(lo, len(list.elems), v.table[weights])]
	}
	if v == given {
		return v
	}
	d.made++
	drawn := *v
	drawn.of, drawn.shared = given, given.shared
	return &drawn
}

// pick returns a random index from 0 to n − 1. The probability of each index is proportional to its weight.
func pick(random uint64, n int, weights *value) int {
	if weights == nil {
		hi, _ := bits.Mul64(random, uint64(n))
		return int(hi)
	}
	sum := 0.0
	for _, w := range weights.elems {
		x, _ := w.number()
		sum += x
	}
	at := float64(random>>11) / (1 << 53) * sum
	last := 0
	for i, w := range weights.elems {
		x, _ := w.number()
		if x > 0 {
			last = i
		}
		if at < x {
			return i
		}
		at -= x
	}
	return last // reached only because of a rounding error
}

// number returns a candidate for the random number of a distribution, as a value of a file. candidate is the index of
// the try.
func (d *draws) number(v *value, address string, candidate uint64, integer bool) *value {
	form, list := distributionIn(v)
	source, index := d.source(address), random.Index(streamNumber, candidate)
	drawn := &value{text: v.text, kind: kindFloat, depth: v.depth, at: v.at, row: v.row, filled: true,
		of: given(v)}
	a, _ := list.elems[0].number()
	b, _ := list.elems[1].number()
	switch {
	case form == normal:
		x, _ := source.Normal(index)
		x = a + b*x
		if integer {
			drawn.kind, drawn.str = kindInteger, strconv.FormatFloat(math.Round(x), 'f', 0, 64)
		} else {
			drawn.str = strconv.FormatFloat(x, 'g', -1, 64)
		}
	case integer:
		least, _ := list.elems[0].integer()
		most, _ := list.elems[1].integer()
		lo, _ := source.Bits(index)
		if n := uint64(most-least) + 1; n != 0 { // n is 0 if all 64-bit values are possible
			lo, _ = bits.Mul64(lo, n)
		}
		drawn.kind, drawn.str = kindInteger, strconv.FormatInt(least+int64(lo), 10)
	default:
		u := source.Uniform(index)
		drawn.str = strconv.FormatFloat(min(max(a*(1-u)+b*u, a), b), 'g', -1, 64)
	}
	return drawn
}

// drawn returns the node with random values in place of its distributions. The result ok is false if a distribution is
// invalid. The caller has already replaced choices among alternatives. Random numbers are drawn here, because they
// depend on the type and the rules of the key.
func (b *binding) drawn(n *Node, dst reflect.Value, r rules.Rules) (*Node, bool) {
	d, ok := n.bound.draws, true
	for i, layer := range n.layers {
		form, _ := distributionIn(layer)
		undrawn := form != "" && dst.Kind() != reflect.Map && dst.Kind() != reflect.Interface
		if layer.of == nil && !undrawn {
			continue
		}
		if !d.Judged && !b.judge(n, layer, given(layer), dst, r) {
			ok = false
		} else if undrawn {
			var drew bool
			n, drew = b.number(n, i, dst, r)
			ok = ok && drew
		}
	}
	return n, ok
}

// number draws random numbers until one satisfies the rules of the key. A number from a uniform distribution always
// satisfies them.
func (b *binding) number(n *Node, i int, dst reflect.Value, r rules.Rules) (*Node, bool) {
	d, distribution, address := n.bound.draws, n.layers[i], n.addressOf(n.layers[i])
	defer d.judging(d.Judged)
	d.Judged = true
	for candidate := range uint64(maxCandidates) {
		v := d.number(distribution, address, candidate, rules.IsInteger(dst.Kind()) && dst.Type() != rules.DurationType)
		if tried(n.only(v), dst, r) == nil {
			d.made++
			return n.with(i, v), true
		}
	}
	b.fail(n, distribution, fmt.Sprintf("none of %d drawn numbers satisfies the rules of %s", maxCandidates, n.key))
	return n, false
}

// judge reports errors in the form of a distribution, and errors in the values that the distribution can give. Of a
// normal distribution it judges only the mean.
func (b *binding) judge(n *Node, layer, distribution *value, dst reflect.Value, r rules.Rules) bool {
	if r.Fixed {
		b.fail(n, distribution, "must be no distribution: it must be the same with every seed")
		return false
	}
	form, list := distributionIn(distribution)
	if at, key, rule := wellFormed(distribution, form, list); at != nil {
		if b.room() {
			b.add(&Error{Pos: at.pos(), Where: n.path(), Key: key, Value: at.source(), Rule: rule})
		}
		return false
	}
	possible := list.elems
	if form == normal {
		possible = possible[:1]
	}
	sound := true
	for i, v := range possible {
		one := *n
		one.where, one.key = n.path(), elemKey(form, i)
		one.layers = append(slices.Clone(n.layers[:slices.Index(n.layers, layer)]), n.choose(v))
		if dst.Kind() != reflect.Struct { // a new value, so that nothing of the lower layers remains in it
			one = *one.only(one.top())
		}
		for _, err := range tried(&one, dst, r) {
			b.addNew(err)
			sound = false
		}
	}
	return sound
}

// tried returns the errors that binding a node would cause. It does not set dst.
func tried(n *Node, dst reflect.Value, r rules.Rules) []error {
	scratch := reflect.New(dst.Type()).Elem()
	scratch.Set(dst)
	var b binding
	b.value(n, scratch, r)
	return b.list
}

// addNew adds an error. It drops the error if there already is one at the same place.
func (b *binding) addNew(err error) {
	e, placed := err.(*Error)
	said := placed && slices.ContainsFunc(b.list, func(other error) bool {
		o, ok := other.(*Error)
		return ok && o.Pos == e.Pos && o.Rule == e.Rule
	})
	if !said {
		b.add(err)
	}
}
