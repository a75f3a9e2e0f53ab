package mapping

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// maxDepth bounds how deep profiles include each other. A guess.
const maxDepth = 8

// setOrigins gives each entry its place in the file, and the profile's units and frame where it has none of its own: a profile that includes
// this one may have others.
func (p *Profile) setOrigins() {
	origin := func(list string, i int, length string) Origin {
		return Origin{p.Name, fmt.Sprintf("%s[%d]", list, i), unitsOf(cmp.Or(length, p.Length), p.Angle)}
	}
	for i := range p.Publish {
		e := &p.Publish[i]
		e.Origin = origin("publish", i, e.Length)
		if e.Frame == "" && e.From != fromWorld {
			e.Frame = p.Frame
		}
	}
	for i := range p.Subscribe {
		p.Subscribe[i].Origin = origin("subscribe", i, p.Subscribe[i].Length)
	}
	for i := range p.Services {
		p.Services[i].Origin = origin("service", i, p.Services[i].Length)
	}
	for i := range p.Calls {
		p.Calls[i].Origin = origin("call", i, p.Calls[i].Length)
	}
}

// include adds what another profile has to p: its types and entries first, but for those that p replaces.
func (l *loader) include(p *Profile, name, dir string, chain []string) error {
	if path := filepath.Join(dir, name); strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		name = path
	}
	base, err := l.load(name, chain)
	if err != nil {
		return err
	}
	p.Types = slices.Concat(base.Types, p.Types)
	p.Names, p.Params = override(base.Names, p.Names), override(base.Params, p.Params)
	p.Publish = merge(p.Publish, base.Publish, func(e *Publish) string { return e.Topic })
	p.Subscribe = merge(p.Subscribe, base.Subscribe, func(e *Subscribe) string { return e.Topic })
	p.Services = merge(p.Services, base.Services, func(e *Service) string { return e.Name })
	p.Calls = merge(p.Calls, base.Calls, func(e *Call) string { return e.Service })
	return nil
}

// override returns the entries of base and own; own ones win.
func override[V any](base, own map[string]V) map[string]V {
	m := maps.Clone(base)
	if m == nil {
		return own
	}
	maps.Copy(m, own)
	return m
}

// merge puts entries of a base before the own ones, but for those whose name is among the own.
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

// lastOfEach leaves out what is listed again later: of types of the same name the later win.
func lastOfEach(list []string) (kept []string) {
	for i, x := range list {
		if !slices.Contains(list[i+1:], x) {
			kept = append(kept, x)
		}
	}
	return kept
}
