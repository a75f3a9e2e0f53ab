package schema

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// binding sets Go values from the nodes of a file, and collects errors.
type binding struct{ collector }

func (b *binding) fail(n *Node, v *value, rule string) {
	if rule != "" && b.room() {
		b.add(n.errorAt(v, rule, nil))
	}
}

// table sets the fields of a struct.
func (b *binding) table(n *Node, dst reflect.Value) {
	n.bound.index[n.path()] = n.top()
	tables := *n
	tables.layers = nil
	for _, layer := range n.layers {
		if layer.kind == kindTable {
			tables.layers = append(tables.layers, layer)
		} else {
			b.fail(n, layer, "must be a table")
		}
	}
	if tables.layers == nil {
		return
	}
	n = &tables
	fields, _ := rules.Fields(dst)
	b.unknown(n, fields)
	for _, f := range fields {
		child := n.Get(f.Key)
		switch {
		case child != nil:
			b.value(child, f.Value, f.Rules)
		case f.Rules.Required && f.Value.IsZero() && b.room():
			b.add(&Error{Pos: n.Pos(), Where: n.path(), Key: keyText(f.Key), Rule: "must be given",
				With: n.top().row.String()})
		}
	}
}

func (b *binding) unknown(n *Node, fields []rules.Field) {
	var keys []string
	known, renamed := map[string]bool{}, map[string]string{}
	for _, f := range fields {
		keys = append(keys, f.Key)
		known[f.Key] = true
		for _, old := range strings.Split(f.Was, "|") {
			renamed[old] = f.Key
		}
	}
	meant := keys
	if strings.HasSuffix(n.key, "]") {
		meant = append(slices.Clone(keys), forEach)
	}
	for _, layer := range n.layers {
		for _, key := range layer.keys {
			if known[key] || !b.room() {
				continue
			}
			rule := "unknown key" + rules.DidYouMean(key, meant)
			if now := renamed[key]; key != "" && now != "" {
				rule = "is now " + keyText(now)
			} else if rule == "unknown key" && len(keys) > 0 && len(keys) <= 12 {
				rule += ", must be one of " + strings.Join(keys, ", ")
			}
			b.add(n.Get(key).errorAt(layer.table[key], rule, nil))
		}
	}
}

// value sets a Go value of any type from a node.
func (b *binding) value(n *Node, dst reflect.Value, r rules.Rules) {
	n.bound.values++
	if d := n.bound.draws; d != nil && dst.Kind() != reflect.Pointer {
		chosen, ok := b.drawn(n, dst, r)
		if !ok {
			return
		}
		n = chosen
		defer d.judging(d.Judged)
		// the values that a choice gives have already been judged together with the choice
		d.Judged = d.Judged || n.top().of != nil
		if dst.Kind() == reflect.Struct {
			d.nodes[n.path()] = n
		}
	}
	n.bound.index[n.path()] = n.top()
	if hook, ok := dst.Addr().Interface().(Binder); ok {
		if rule := form(n, hook, dst); rule != "" {
			b.fail(n, n.top(), rule)
			return
		}
		b.addHookErrors(n, InKeys(hook, hook.BindNode(n.sameForm())))
		return
	}
	if u, ok := dst.Addr().Interface().(encoding.TextUnmarshaler); ok {
		text, isName := n.Text()
		if !isName {
			text = fmt.Sprint(n.Value())
		}
		err := u.UnmarshalText([]byte(text))
		for cause := err; cause != nil; cause = errors.Unwrap(cause) {
			err = cause // keeps only the rule, because the caller adds the value
		}
		if err != nil {
			b.fail(n, n.top(), err.Error())
		}
		return
	}
	switch dst.Kind() {
	case reflect.Pointer:
		elem := reflect.New(dst.Type().Elem())
		if dst.IsNil() {
			setDefaults(elem.Elem())
		} else {
			elem.Elem().Set(dst.Elem()) // a copy, because several values may share their defaults
		}
		b.value(n, elem.Elem(), r)
		dst.Set(elem)
	case reflect.Struct:
		if p, ok := dst.Addr().Interface().(Preparer); ok && n.IsTable() {
			p.Prepare(n.sameForm().textOf)
		}
		b.table(n, dst)
	case reflect.Map:
		b.mapping(n, dst, r)
	case reflect.Slice:
		if r.Merge != "" {
			b.merge(n, dst, r)
			return
		}
		for _, layer := range n.layers {
			b.slice(n.only(layer), dst, r)
		}
	case reflect.Array:
		for _, layer := range n.layers {
			b.array(n.only(layer), dst, r)
		}
	case reflect.Interface:
		if dst.NumMethod() > 0 {
			panic("schema: cannot bind to the interface " + dst.Type().String())
		}
		b.representable(n)
		dst.Set(reflect.ValueOf(n.Value()))
	default:
		for _, layer := range n.layers {
			b.fail(n, layer, setScalar(dst, layer, r))
		}
	}
}

// form checks the form of a value that a hook binds: the value must be a table or, if the hook accepts them, a name or
// false. It returns the rule that the value breaks, or "".
func form(n *Node, hook Binder, dst reflect.Value) string {
	_, takesName := hook.(Named)
	_, isName := n.Text()
	_, takesFalse := hook.(Omissible)
	switch {
	case dst.Kind() != reflect.Struct || n.IsTable() || takesName && isName || takesFalse && n.False():
		return ""
	case takesName && takesFalse:
		return "must be a name, a table or false"
	case takesName:
		return "must be a name or a table"
	case takesFalse:
		return "must be a table or false"
	}
	return "must be a table"
}

// representable reports those numbers in a value of any type that do not fit into 64 bits.
func (b *binding) representable(n *Node) {
	b.fail(n, n.top(), n.top().overflow())
	for i, v := range n.top().elems {
		b.representable(n.elem(i, v))
	}
	for _, key := range n.top().keys {
		b.representable(n.only(n.top()).Get(key))
	}
}

// addHookErrors adds the errors that a hook returned. An error without a position gets the position of the node.
func (b *binding) addHookErrors(n *Node, err error) {
	for _, e := range Flatten(err) {
		var violation *Violation
		switch {
		case posOf(e) != Pos{}:
		case errors.As(e, &violation):
			absolute := *violation
			absolute.Path = joinPath(n.path(), violation.Path)
			e = n.bound.index.locate(&absolute)
		default:
			e = n.errorAt(n.top(), e.Error(), e)
		}
		b.add(e)
	}
}

// Defaulter sets the defaults of a new element of an array, map or pointer. Keys of the file then override the
// defaults. The type *T implements it for elements of type T. Go promotes the SetDefaults of an embedded struct to the
// struct around it. The outer struct should therefore have a SetDefaults of its own.
type Defaulter interface{ SetDefaults() }

// Preparer sets values before the keys of its table override them. The function text returns the text of a key's value.
// It returns "" if the key has no text.
type Preparer interface {
	Prepare(text func(key string) string)
}

// setDefaults sets the defaults of a new value by calling its Defaulter. If the value has none, it calls the Defaulters
// of the value's fields.
func setDefaults(v reflect.Value) {
	if d, ok := v.Addr().Interface().(Defaulter); ok {
		d.SetDefaults()
		return
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			setDefaults(v.Field(i))
		}
	}
}
