package foxglove

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// getParameters sends the values of the named parameters, or of all parameters if the request has no names. Parameters
// that are not set are left out.
func (x *session) getParameters(r *request) error {
	tree, err := x.server.catalog.params()
	if err != nil {
		return err
	}
	names := r.Names
	if len(names) == 0 {
		names = leaves("", tree, nil)
	}
	x.sendParams(values(tree, names), r.ID)
	return nil
}

// maxSet is the maximum number of parameters in a request, because each parameter needs a call to the master; a guess.
const maxSet = 256

// setParameters sets parameters. It deletes parameters that have no value in the request. It answers if the request has
// an id.
func (x *session) setParameters(r *request) error {
	if n := len(r.Parameters); n > maxSet {
		return fmt.Errorf("%d parameters: must be at most %d", n, maxSet)
	}
	var errs []error
	names := []string{}
	for _, p := range r.Parameters {
		names = append(names, p.Name)
		if err := x.set(p); err != nil {
			errs = append(errs, fmt.Errorf("parameter %s: %w", p.Name, err))
		}
	}
	if r.ID != "" {
		tree, err := x.server.catalog.params()
		if err != nil {
			return err
		}
		x.sendParams(values(tree, names), r.ID)
	}
	x.server.catalog.wakeUp()
	return errors.Join(errs...)
}

func (x *session) set(p parameter) error {
	n := x.server.Node
	if len(p.Value) == 0 {
		return n.DeleteParam(p.Name)
	}
	v, err := web.Param(p.Value)
	if err != nil {
		return err
	}
	switch p.Type {
	case "float64":
		v = float(v)
	case "float64_array":
		if list, ok := v.([]any); ok {
			for i := range list {
				list[i] = float(list[i])
			}
		}
	case "byte_array":
		s, _ := v.(string)
		if v, err = base64.StdEncoding.DecodeString(s); err != nil {
			return fmt.Errorf("value = %.40q: must be base64", s)
		}
	}
	return n.SetParam(p.Name, v)
}

// float converts an int to a float64, because JSON does not distinguish them.
func float(v any) any {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	return v
}

func (x *session) watchParameters(r *request) error {
	c := x.server.catalog
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range r.Names {
		if most := x.client.Limits().Subscriptions; len(x.params) >= most {
			return fmt.Errorf("%d parameters are watched: must be at most %d", len(x.params), most)
		}
		if _, ok := x.params[name]; !ok {
			x.params[name] = ""
		}
	}
	c.wakeUp()
	return nil
}

func (x *session) unwatchParameters(r *request) error {
	c := x.server.catalog
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range r.Names {
		delete(x.params, name)
	}
	return nil
}

func (x *session) sendParams(list []parameter, id string) {
	m := map[string]any{"op": "parameterValues", "parameters": list}
	if id != "" {
		m["id"] = id
	}
	x.client.Send(false, encode(m))
}

// wakeUp makes the catalog poll the parameters soon.
func (c *catalog) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// params returns the tree of all parameters. It fails if the master does not answer.
func (c *catalog) params() (map[string]any, error) {
	v, err := c.node.GetParam("/")
	tree, _ := v.(map[string]any)
	return tree, err
}

// pollParams sends changed parameters to the clients that watch them.
func (c *catalog) pollParams() {
	watched := false
	c.each(func(x *session) { watched = watched || len(x.params) > 0 })
	if !watched {
		return
	}
	tree, err := c.params()
	if err != nil {
		return
	}
	c.each(func(x *session) {
		changed := []parameter{}
		for _, name := range slices.Sorted(maps.Keys(x.params)) {
			p := value(tree, name)
			if now := p.Type + string(p.Value); now != x.params[name] {
				x.params[name] = now
				changed = append(changed, p)
			}
		}
		if len(changed) > 0 {
			x.sendParams(changed, "")
		}
	})
}

// values returns the named parameters that are set.
func values(tree map[string]any, names []string) []parameter {
	out := []parameter{}
	for _, name := range names {
		if p := value(tree, name); p.Value != nil {
			out = append(out, p)
		}
	}
	return out
}

// value returns a parameter or namespace. The result's Value is nil if the parameter is not set.
func value(tree map[string]any, name string) parameter {
	p := parameter{Name: name}
	var v any = tree
	for part := range strings.SplitSeq(strings.TrimPrefix(graph.Resolve("/", name), "/"), "/") {
		space, ok := v.(map[string]any)
		if !ok {
			return p
		}
		if v, ok = space[part]; !ok {
			return p
		}
	}
	p.Value, p.Type = json.RawMessage(web.ParamJSON(v)), typeOf(v)
	return p
}

// typeOf returns the protocol's name of a value's type if JSON does not determine the type, else "".
func typeOf(v any) string {
	switch v := v.(type) {
	case float64:
		return "float64"
	case []byte:
		return "byte_array"
	case []any:
		for _, e := range v {
			if _, ok := e.(float64); !ok {
				return ""
			}
		}
		if len(v) > 0 {
			return "float64_array"
		}
	}
	return ""
}

// leaves appends the names of all parameters in a namespace, sorted.
func leaves(space string, tree map[string]any, names []string) []string {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if sub, ok := tree[key].(map[string]any); ok {
			names = leaves(space+"/"+key, sub, names)
		} else {
			names = append(names, space+"/"+key)
		}
	}
	return names
}
