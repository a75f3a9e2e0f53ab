package ros1

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// cachedParam is one parameter or namespace that the master tells us about.
type cachedParam struct {
	key   string
	ready chan struct{} // closed when subscribed, or failed with err
	err   error

	mu       sync.Mutex
	value    any
	set      bool
	version  int // counts what the master and this node said
	told     int // the version that watchers know
	watchers []func(any, bool)

	turn sync.Mutex // held while watchers run
}

// CachedParam returns a parameter as GetParam does. The first call for a key asks the master and subscribes; later
// ones answer from memory, which follows changes that others and this node make. ROS does not tell an empty namespace
// from one that was deleted: both are ErrNoParam here.
func (n *Node) CachedParam(key string) (any, error) {
	p, err := n.subscribeParam(key)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.set {
		return nil, n.errorf("parameter %s: %w", p.key, ErrNoParam)
	}
	return cloneParam(p.value), nil
}

// WatchParam calls f with the parameter's value now, before it returns, and after every change, until the node closes;
// set says whether there is a value. One call at a time; values that change quickly are left out, never the last one.
// f owns the value; it must not close the node, nor watch the same parameter. It fails as CachedParam does, but not on a parameter that is not set.
func (n *Node) WatchParam(key string, f func(value any, set bool)) error {
	p, err := n.subscribeParam(key)
	if err != nil {
		return err
	}
	p.turn.Lock()
	p.mu.Lock()
	v, set := cloneParam(p.value), p.set
	p.mu.Unlock()
	f(v, set)
	p.mu.Lock()
	p.watchers = append(p.watchers, f)
	p.mu.Unlock()
	p.turn.Unlock()
	p.tell() // what came meanwhile
	return nil
}

// SearchParam looks for a relative key from the node's own namespace upwards and returns the absolute key of the
// parameter found first. It fails with ErrNoParam where there is none. A remapping of the key applies as it is written,
// before names are resolved, as in roscpp.
func (n *Node) SearchParam(key string) (string, error) {
	if err := graph.Check(key); err != nil {
		return "", n.errorf("parameter: %w", err)
	}
	if to, ok := n.renamed[key]; ok {
		key = to
	}
	v, err := n.callMaster(n.ctx, "searchParam", key)
	var refused *RefusedError
	if errors.As(err, &refused) {
		err = ErrNoParam
	}
	if err != nil {
		return "", n.errorf("parameter %s: %w", key, err)
	}
	found, _ := v.(string)
	return found, nil
}

// subscribeParam returns the cache of a key, subscribed.
func (n *Node) subscribeParam(key string) (*cachedParam, error) {
	full, err := n.resolve(key)
	if err != nil {
		return nil, n.errorf("parameter: %w", err)
	}
	n.mu.Lock()
	p, ours := n.params[full], false
	if p == nil {
		p, ours = &cachedParam{key: full, ready: make(chan struct{})}, true
		n.params[full] = p
	}
	n.mu.Unlock()
	if ours {
		if p.err = p.fetch(n); p.err != nil {
			n.mu.Lock()
			delete(n.params, full)
			n.mu.Unlock()
		}
		close(p.ready)
	}
	<-p.ready
	if p.err != nil {
		return nil, n.errorf("parameter %s: %w", full, p.err)
	}
	return p, nil
}

// fetch subscribes, and takes the value of the answer unless an update overtook it.
func (p *cachedParam) fetch(n *Node) error {
	p.mu.Lock()
	before := p.version
	p.mu.Unlock()
	v, err := n.callMaster(n.ctx, "subscribeParam", n.uri, p.key)
	if err != nil {
		return err
	}
	p.mu.Lock()
	if p.version == before {
		p.put(p.key, v)
	}
	p.mu.Unlock()
	p.tell()
	return nil
}

// put notes that key, which is p's, above or below, has a new value; p.mu is held.
func (p *cachedParam) put(key string, v any) {
	p.version++
	mine, theirs := strings.Trim(p.key, "/"), strings.Trim(key, "/")
	if below, ok := under(theirs, mine); ok { // a part of our namespace
		tree, _ := p.value.(map[string]any)
		p.value = setParam(tree, below, v)
	} else if above, ok := under(mine, theirs); ok {
		for _, part := range above {
			m, _ := v.(map[string]any)
			v = m[part]
		}
		p.value = v
	} else {
		p.value = v
	}
	m, namespace := p.value.(map[string]any)
	p.set = p.value != nil && !(namespace && len(m) == 0)
}

// under returns the path from the key above to key, in parts, where key lies below it.
func under(key, above string) ([]string, bool) {
	rest, ok := strings.CutPrefix(key, above)
	if !ok || rest == "" || above != "" && rest[0] != '/' {
		return nil, false
	}
	return strings.Split(strings.Trim(rest, "/"), "/"), true
}

// setParam returns the tree with the value at a path replaced, or removed where it is an empty namespace. The tree
// given stays as it is.
func setParam(tree map[string]any, path []string, v any) map[string]any {
	tree = maps.Clone(tree)
	if tree == nil {
		tree = map[string]any{}
	}
	if len(path) > 1 {
		sub, _ := tree[path[0]].(map[string]any)
		v = setParam(sub, path[1:], v)
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		delete(tree, path[0])
	} else {
		tree[path[0]] = v
	}
	return tree
}

// tell calls the watchers where the value changed since they ran. Where they are being called, whoever does so calls
// them again: a watcher may set the parameter that it watches.
func (p *cachedParam) tell() {
	for p.turn.TryLock() {
		p.mu.Lock()
		v, set, news, watchers := p.value, p.set, p.version != p.told, slices.Clone(p.watchers)
		p.told = p.version
		p.mu.Unlock()
		if news {
			for _, f := range watchers {
				f(cloneParam(v), set)
			}
		}
		p.turn.Unlock()
		p.mu.Lock()
		done := p.told == p.version
		p.mu.Unlock()
		if done {
			return
		}
	}
}

// paramChanged notes a change that the master or this node made, in every cache that it touches.
func (n *Node) paramChanged(key string, v any) (known bool) {
	for _, p := range n.cachedParams() {
		mine, theirs := strings.Trim(p.key, "/"), strings.Trim(key, "/")
		_, below := under(theirs, mine)
		_, above := under(mine, theirs)
		if mine != theirs && !below && !above {
			continue
		}
		known = true
		p.mu.Lock()
		p.put(key, cloneParam(v))
		p.mu.Unlock()
		p.tell()
	}
	return known
}

// cachedParams lists the caches, to be looked at without holding the node.
func (n *Node) cachedParams() (list []*cachedParam) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.params {
		list = append(list, p)
	}
	return list
}

// paramUpdate is the slave API's: a parameter that we subscribed to changed.
func (n *Node) paramUpdate(args []any) (int, string, any) {
	key, ok := args[0].(string)
	if !ok || graph.Check("/"+strings.Trim(key, "/")) != nil {
		return -1, "paramUpdate: key: must be a name", 0
	}
	if !n.paramChanged(key, args[1]) {
		return -1, "this node has not subscribed to the parameter", 0
	}
	return 1, "", 0
}

// cloneParam copies a value, so that nobody changes another's.
func cloneParam(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = cloneParam(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloneParam(e)
		}
		return c
	}
	return v
}
