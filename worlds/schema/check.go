package schema

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Check judges a Go struct by the tags of its fields, in depth, and returns all broken rules as [Violation]s. Structs
// inside it that have a Validate() error method are asked too, and what they find gets their path, so that a Config's
// own Validate is Check(c) joined with the rules that span several of its keys.
func Check(cfg any) error { return CheckRest(cfg, nil) }

// CheckRest does the same of what did not fail while it was bound. Where something failed in a struct, its keys were judged
// then, and defaults that depend on what failed are missing: only the structs inside it that are whole are judged.
func CheckRest(cfg any, failed Failed) error {
	c := checker{failed: failed}
	c.table("", rootStruct(cfg), true)
	return errors.Join(c.list...)
}

type checker struct {
	list   []error
	seen   map[string]bool
	failed Failed
}

// touched tells whether something failed in a table.
func (c *checker) touched(path string) bool {
	_, touched := c.failed[path]
	return touched
}

// add drops what was said before: a Validate repeats what Check saw on its way.
func (c *checker) add(v *Violation) {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	if text := v.Error(); !c.seen[text] {
		c.seen[text] = true
		c.list = append(c.list, v)
	}
}

func (c *checker) table(path string, s reflect.Value, ask bool) {
	fields, inlined := fieldsOf(s)
	for _, f := range fields {
		key := keyText(f.key)
		if !c.touched(path) && f.rules.required && isUnset(f.value) {
			c.add(&Violation{Path: path, Key: key, Rule: "must be given"})
			continue
		}
		c.value(path, key, f.value, f.rules, ask)
	}
	for _, s := range inlined {
		if ask {
			c.ask(path, "", s)
		}
	}
}

// isUnset tells whether a value is certainly not given; a number 0 may be.
func isUnset(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return v.IsZero()
	}
	return false
}

func (c *checker) value(path, key string, v reflect.Value, r rules, ask bool) {
	if c.failed[joinPath(path, key)] {
		return
	}
	fail := func(shown any, rule string) {
		if rule != "" && !c.touched(path) {
			c.add(&Violation{Path: path, Key: key, Value: shown, Rule: rule})
		}
	}
	switch k := v.Kind(); {
	case v.Type() == durationType, v.CanFloat():
		x := inKeyUnit(v, r.unit)
		fail(x, r.number(x))
	case k == reflect.Struct:
		v = addressable(v)
		asked := ask && c.ask(path, key, v)
		c.table(joinPath(path, key), v, ask && !asked) // who was asked asks those inside
	case k == reflect.Pointer && !v.IsNil():
		c.value(path, key, v.Elem(), r, ask)
	case k == reflect.Slice, k == reflect.Array:
		fail(nil, r.length(v.Len()))
		for i := range r.looked(v.Len()) {
			c.value(path, elemKey(key, i), v.Index(i), r.ofElements(), ask)
		}
	case k == reflect.Map:
		fail(nil, r.length(v.Len()))
		elemRules := r.ofElements()
		elemRules.match = false
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			elem := v.MapIndex(name)
			if rule := (rules{match: true}).text(name.String()); r.match && rule != "" {
				fail(nil, strconv.Quote(name.String())+" "+rule)
			}
			c.value(joinPath(path, key), keyText(name.String()), elem, elemRules, ask)
		}
	case k == reflect.String:
		r.match = r.match && v.String() != "" // not given
		fail(v.String(), r.text(v.String()))
	case v.CanInt():
		fail(v.Int(), r.number(float64(v.Int())))
	case v.CanUint():
		fail(v.Uint(), r.number(float64(v.Uint())))
	}
}

// ask calls the Validate of a struct, if it has one, and puts its path before what that finds.
func (c *checker) ask(path, key string, s reflect.Value) bool {
	if c.touched(joinPath(path, key)) || !s.CanInterface() {
		return false
	}
	v, ok := addressable(s).Addr().Interface().(interface{ Validate() error })
	if !ok {
		return false
	}
	for _, err := range Flatten(v.Validate()) {
		inner, ok := errors.AsType[*Violation](err)
		if !ok {
			c.add(&Violation{Path: path, Key: key, Rule: err.Error(), err: err})
			continue
		}
		outer := *inner
		outer.Path = joinPath(joinPath(path, key), inner.Path)
		c.add(&outer)
	}
	return true
}
