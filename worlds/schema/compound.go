package schema

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// elem returns the node of the array's element with the index i.
func (n *Node) elem(i int, layers ...*value) *Node {
	e := &Node{where: n.where, key: elemKey(n.key, i), up: n, bound: n.bound}
	if n.bound.draws == nil {
		e.layers = layers
		return e
	}
	e.step = stepTo(i, layers)
	for _, v := range layers {
		e.layers = append(e.layers, e.choose(v))
	}
	return e
}

// elements returns the elements of an array. If the value is not an array, it reports an error and returns nil.
func (b *binding) elements(n *Node, v *value, t reflect.Type) []*value {
	if v.kind != kindArray {
		rule := "must be an array"
		if v.kind == kindTable && t.Elem().Kind() == reflect.Struct {
			rule = fmt.Sprintf("must be an array of tables, written [[%s]]", n.key)
		}
		b.fail(n, v, rule)
		return nil
	}
	return v.elems
}

func (b *binding) slice(n *Node, dst reflect.Value, r rules.Rules) {
	elems := b.elements(n, n.top(), dst.Type())
	if n.top().kind == kindArray {
		b.fail(n, n.top(), r.Length(len(elems)))
	}
	looked := r.JudgedLen(len(elems))
	out := reflect.MakeSlice(dst.Type(), looked, looked)
	for i, v := range elems[:looked] {
		setDefaults(out.Index(i))
		b.value(n.elem(i, v), out.Index(i), r.OfElements())
	}
	dst.Set(out)
}

func (b *binding) array(n *Node, dst reflect.Value, r rules.Rules) {
	elems := b.elements(n, n.top(), dst.Type())
	if n.top().kind == kindArray && len(elems) != dst.Len() {
		b.fail(n, n.top(), fmt.Sprintf("must have %d elements, has %d", dst.Len(), len(elems)))
		return
	}
	for i, v := range elems {
		b.value(n.elem(i, v), dst.Index(i), r.OfElements())
	}
}

func (b *binding) mapping(n *Node, dst reflect.Value, r rules.Rules) {
	out := reflect.MakeMap(dst.Type())
	for key, old := range dst.Seq2() {
		out.SetMapIndex(key, old)
	}
	for _, layer := range n.layers {
		if layer.kind != kindTable {
			b.fail(n, layer, "must be a table")
		}
	}
	elemRules := r.OfElements()
	elemRules.Match = false
	for _, key := range n.Keys() {
		child := n.Get(key)
		if r.Match {
			b.fail(child, child.top(), rules.Rules{Match: true}.Text(key))
		}
		elem := reflect.New(dst.Type().Elem()).Elem()
		if old := out.MapIndex(reflect.ValueOf(key).Convert(dst.Type().Key())); old.IsValid() {
			elem.Set(old)
		} else {
			setDefaults(elem)
		}
		b.value(child, elem, elemRules)
		out.SetMapIndex(reflect.ValueOf(key).Convert(dst.Type().Key()), elem)
	}
	if n.IsTable() {
		b.fail(n, n.top(), r.Length(out.Len()))
	}
	dst.Set(out)
}

// merge binds an array of tables whose elements have names. If a layer and a lower layer have elements with the same
// name, the keys of the higher element override those of the lower one. All other elements are appended.
func (b *binding) merge(n *Node, dst reflect.Value, r rules.Rules) {
	groups := make([][]*value, dst.Len()) // values of each element in all layers
	byName := map[string]int{}
	for i := range dst.Len() {
		byName[nameOf(dst.Index(i), r.Merge)] = i
	}
	for _, layer := range n.layers {
		inLayer := map[string]*value{}
		for i, v := range b.elements(n, layer, dst.Type()) {
			name := v.table[r.Merge]
			if name == nil || name.kind != kindString {
				groups = append(groups, []*value{v}) // the rules of the key report that the name is invalid
				continue
			}
			if first := inLayer[name.str]; first != nil {
				if b.room() {
					again := n.elem(i, v).Get(r.Merge)
					b.add(again.errorAt(name, fmt.Sprintf("already used in line %d", first.pos().Line), nil))
				}
				continue
			}
			inLayer[name.str] = name
			if _, known := byName[name.str]; !known {
				byName[name.str] = len(groups)
				groups = append(groups, nil)
			}
			groups[byName[name.str]] = append(groups[byName[name.str]], v)
		}
	}
	if n.top().kind == kindArray {
		b.fail(n, n.top(), r.Length(len(groups)))
	}
	looked := r.JudgedLen(len(groups))
	out := reflect.MakeSlice(dst.Type(), looked, looked)
	reflect.Copy(out, dst)
	for i, layers := range groups[:looked] {
		if i >= dst.Len() {
			setDefaults(out.Index(i))
		}
		if layers != nil {
			b.value(n.elem(i, layers...), out.Index(i), r.OfElements())
		}
	}
	dst.Set(out)
}

// nameOf returns the name of an element: the value of the key that is used for merging.
func nameOf(elem reflect.Value, key string) string {
	if s, ok := rules.StructIn(elem); ok {
		fields, _ := rules.Fields(s)
		i := slices.IndexFunc(fields, func(f rules.Field) bool {
			return f.Key == key &&
				f.Value.Kind() == reflect.String
		})
		if i >= 0 {
			return fields[i].Value.String()
		}
	}
	panic(fmt.Sprintf("schema: %s has no string with the key %s to merge by", elem.Type(), key))
}
