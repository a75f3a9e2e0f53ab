package rules

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Check judges a Go struct, and the structs inside it, by the tags of its fields, and returns all broken rules as
// [Violation]s. If a struct inside has a method Validate() error, Check calls this method, and puts the struct's path
// before the violations that it returns. A Config's own Validate is therefore Check(c) joined with the rules that span
// several of its fields.
func Check(cfg any) error {
	c := checker{seen: map[string]bool{}}
	c.table("", RootStruct(cfg), true)
	return errors.Join(c.list...)
}

type checker struct {
	list []error
	seen map[string]bool
}

// add adds a violation to the list. It drops a violation that is already in the list, since a method Validate repeats
// the violations that Check has found.
func (c *checker) add(v *Violation) {
	if text := v.Error(); !c.seen[text] {
		c.seen[text] = true
		c.list = append(c.list, v)
	}
}

func (c *checker) table(path string, s reflect.Value, ask bool) {
	fields, inlined := Fields(s)
	for _, f := range fields {
		name := join(path, f.Name)
		if f.Rules.Required && isUnset(f.Value) {
			c.add(&Violation{Field: name, Rule: "must be given", Within: path})
			continue
		}
		c.value(path, name, f.Value, f.Rules, ask)
	}
	for _, s := range inlined {
		if ask {
			c.ask(path, s)
		}
	}
}

// isUnset reports whether a value was certainly not given. For a number it returns false, since a 0 may have been
// given.
func isUnset(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return v.IsZero()
	}
	return false
}

// value judges a field of a struct. The argument within is the path of the struct.
func (c *checker) value(within, name string, v reflect.Value, r Rules, ask bool) {
	unit := ""
	fail := func(shown any, rule string) {
		if rule != "" {
			c.add(&Violation{Field: name, Value: shown, Rule: rule, Unit: unit, Within: within})
		}
	}
	switch k := v.Kind(); {
	case v.Type() == DurationType, v.CanFloat():
		unit = r.Unit.Name
		fail(v.Interface(), r.Number(InKeyUnit(v, r.Unit)))
	case k == reflect.Struct:
		v = Addressable(v)
		asked := ask && c.ask(name, v)
		c.table(name, v, ask && !asked) // the method Validate has judged the structs inside
	case k == reflect.Pointer && !v.IsNil():
		c.value(within, name, v.Elem(), r, ask)
	case k == reflect.Slice, k == reflect.Array:
		fail(nil, r.Length(v.Len()))
		for i := range r.JudgedLen(v.Len()) {
			c.value(within, fmt.Sprintf("%s[%d]", name, i), v.Index(i), r.OfElements(), ask)
		}
	case k == reflect.Map:
		fail(nil, r.Length(v.Len()))
		elemRules := r.OfElements()
		elemRules.Match = false
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			quoted := strconv.Quote(key.String())
			if rule := (Rules{Match: true}).Text(key.String()); r.Match && rule != "" {
				fail(nil, quoted+" "+rule)
			}
			c.value(name, name+"["+quoted+"]", v.MapIndex(key), elemRules, ask)
		}
	case k == reflect.String:
		r.Match = r.Match && v.String() != "" // not given
		fail(v.String(), r.Text(v.String()))
	case v.CanInt():
		fail(v.Int(), r.Number(float64(v.Int())))
	case v.CanUint():
		fail(v.Uint(), r.Number(float64(v.Uint())))
	}
}

// ask calls the method Validate of a struct, and puts the struct's path before the violations. It reports whether the
// struct has such a method.
func (c *checker) ask(path string, s reflect.Value) bool {
	if !s.CanInterface() {
		return false
	}
	v, ok := Addressable(s).Addr().Interface().(interface{ Validate() error })
	if !ok {
		return false
	}
	for _, err := range Split(v.Validate()) {
		inner, ok := errors.AsType[*Violation](err)
		if !ok {
			inner = &Violation{Rule: err.Error(), err: err}
		}
		outer := *inner
		outer.Field, outer.Within = join(path, inner.Field), join(path, inner.Within)
		c.add(&outer)
	}
	return true
}

// Split returns the single errors of err, which may be nested [errors.Join]s.
func Split(err error) (list []error) {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		list = append(list, Split(e)...)
	}
	return list
}

// Nearest returns the choice that a word probably means, or "" if no choice is close to the word. It ignores letter
// case and treats - as _. A key that differs only in its unit (rate_ms for rate_hz) is close. Of equally close choices
// it returns the one with the longest common prefix, then the first.
func Nearest(word string, choices []string) string {
	best, least := "", 1<<30
	for _, choice := range choices {
		d := distance(word, choice)
		if d < least || d == least && commonPrefix(word, choice) > commonPrefix(word, best) {
			if d <= len(choice)/3 {
				best, least = choice, d
			}
		}
	}
	if least <= 1 {
		return best
	}
	for _, choice := range choices {
		if choice != "" && stem(choice) == stem(word) {
			return choice
		}
	}
	return best
}

func DidYouMean(word string, choices []string) string {
	if near := Nearest(word, choices); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// commonPrefix returns the number of bytes that two words have in common at their start.
func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func stem(key string) string { return strings.TrimSuffix(key, UnitOf(key).Suffix) }

// distance returns the restricted Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of
// neighbours. If the words cannot be close, it returns a number above any limit.
func distance(a, b string) int {
	if n := len(a) - len(b); n > 4 || n < -4 || len(b) > 64 {
		return 1 << 20
	}
	fold := strings.NewReplacer("-", "_")
	a, b = fold.Replace(strings.ToLower(a)), fold.Replace(strings.ToLower(b))
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
