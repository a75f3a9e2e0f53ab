package mapping

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// deepest bounds how deep profiles include each other. A guess.
const deepest = 8

// settle notes where everything stands, and gives entries the profile's units and frame where they have none of their own: another profile
// may include them that has others.
func (p *Profile) settle() {
	own := func(length, list string, i int) Origin {
		return Origin{p.Name, fmt.Sprintf("%s[%d]", list, i), unitsOf(cmp.Or(length, p.Length), p.Angle)}
	}
	for i := range p.Publish {
		e := &p.Publish[i]
		e.Origin = own(e.Length, "publish", i)
		if e.Frame == "" && e.From != "world" {
			e.Frame = p.Frame
		}
	}
	for i := range p.Subscribe {
		e := &p.Subscribe[i]
		e.Origin = own(e.Length, "subscribe", i)
	}
	for i := range p.Services {
		e := &p.Services[i]
		e.Origin = own(e.Length, "service", i)
	}
	for i := range p.Calls {
		e := &p.Calls[i]
		e.Origin = own(e.Length, "call", i)
	}
}

// include puts a profile below another: its types and entries first, unless the other has its own.
func (l *Loader) include(p *Profile, name, dir string, chain []string) error {
	if path := filepath.Join(dir, name); strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		name = path
	}
	base, err := l.load(name, chain)
	if err != nil {
		return err
	}
	p.Types = slices.Concat(base.Types, p.Types)
	p.Names, p.Params = below(p.Names, base.Names), below(p.Params, base.Params)
	p.Publish = merge(p.Publish, base.Publish, func(e *Publish) string { return e.Topic })
	p.Subscribe = merge(p.Subscribe, base.Subscribe, func(e *Subscribe) string { return e.Topic })
	p.Services = merge(p.Services, base.Services, func(e *Service) string { return e.Name })
	p.Calls = merge(p.Calls, base.Calls, func(e *Call) string { return e.Service })
	return nil
}

func below[V any](own, base map[string]V) map[string]V {
	m := maps.Clone(base)
	if m == nil {
		return own
	}
	maps.Copy(m, own)
	return m
}

// merge puts entries of a base before the own ones, without those of a name that the own have.
func merge[E any](own, base []E, name func(*E) string) []E {
	has := map[string]bool{}
	for i := range own {
		has[name(&own[i])] = true
	}
	var all []E
	for i := range base {
		if !has[name(&base[i])] {
			all = append(all, base[i])
		}
	}
	return append(all, own...)
}

// lastOfEach leaves out what comes again later: of types the later win.
func lastOfEach(list []string) (kept []string) {
	for i, x := range list {
		if !slices.Contains(list[i+1:], x) {
			kept = append(kept, x)
		}
	}
	return kept
}
