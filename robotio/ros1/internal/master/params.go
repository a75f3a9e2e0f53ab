package master

import (
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// maxKey bounds the length of a parameter key in bytes, and so the depth of the tree. A guess.
const maxKey = 1024

// params is the tree of parameters: maps are namespaces. The zero value is empty.
type params struct {
	root  map[string]any
	bytes int // upper bound of the tree's size, see grow
}

func splitKey(key string) []string {
	return strings.FieldsFunc(key, func(r rune) bool { return r == '/' })
}

// get returns the value or subtree at an absolute key.
func (p *params) get(key string) (any, bool) {
	var v any = p.tree()
	for _, part := range splitKey(key) {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[part]; !ok {
			return nil, false
		}
	}
	return v, true
}

func (p *params) tree() map[string]any {
	if p.root == nil {
		p.root = map[string]any{}
	}
	return p.root
}

// set replaces the value or subtree at an absolute key. Values on the way to it become namespaces. It returns false if
// the root would not be a namespace.
func (p *params) set(key string, v any) bool {
	parts := splitKey(key)
	if len(parts) == 0 {
		m, ok := v.(map[string]any)
		if ok {
			p.root = m
		}
		return ok
	}
	d := p.tree()
	for _, part := range parts[:len(parts)-1] {
		next, ok := d[part].(map[string]any)
		if !ok {
			next = map[string]any{}
			d[part] = next
		}
		d = next
	}
	d[parts[len(parts)-1]] = v
	return true
}

// remove removes a key, and reports whether it existed.
func (p *params) remove(key string) bool {
	parts := splitKey(key)
	if len(parts) == 0 {
		return false
	}
	above, _ := p.get(strings.Join(parts[:len(parts)-1], "/"))
	d, _ := above.(map[string]any)
	last := parts[len(parts)-1]
	if _, ok := d[last]; !ok {
		return false
	}
	delete(d, last)
	return true
}

// names returns the keys of all values.
func (p *params) names() []any {
	list := []any{}
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if sub, ok := m[k].(map[string]any); ok {
				walk(prefix+k+"/", sub)
			} else {
				list = append(list, prefix+k)
			}
		}
	}
	walk("/", p.tree())
	return list
}

// search searches the namespace ns and those above it for the first part of a relative key.
func (p *params) search(ns, key string) (string, bool) {
	if strings.HasPrefix(key, "/") {
		_, ok := p.get(key)
		return key, ok
	}
	parts, above := splitKey(key), splitKey(ns)
	if len(parts) == 0 || strings.HasPrefix(key, "~") {
		return "", false
	}
	for n := len(above); n >= 0; n-- {
		prefix := "/" + strings.Join(above[:n], "/")
		if _, ok := p.get(prefix + "/" + parts[0]); ok {
			return graph.Canonical(prefix + "/" + key), true
		}
	}
	return "", false
}
