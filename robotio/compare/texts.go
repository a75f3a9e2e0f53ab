package compare

import (
	"context"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/worlds"
)

// texts holds the known values of the quantities in names. Its keys are the quantities without braces.
type texts map[string]string

// The quantities for the common prefix of the names of a team's robots.
const (
	cyanPrefix    = "cyan.prefix"
	magentaPrefix = "magenta.prefix"
	teamPrefix    = "team.prefix"
)

// textsOf returns the values of the quantities that are parameters of a profile. The function value returns the value
// of a parameter.
func textsOf(p *mapping.Compiled, value func(*mapping.Parameter) any) texts {
	t := texts{}
	for i := range p.Parameters {
		if q := p.Parameters[i].Quantity(); q != "" {
			if text, _ := value(&p.Parameters[i]).(string); text != "" {
				t[q] = text
			}
		}
	}
	return t
}

// textsOfWorld returns the values of these quantities in a world.
func textsOfWorld(p *mapping.Compiled, w *worlds.World) texts {
	if len(w.Robots) == 0 {
		return nil
	}
	c := p.NewContext(w, 0)
	return textsOf(p, func(param *mapping.Parameter) any { return param.Value(&c) })
}

// texts returns the values of these quantities from the parameter server of the system.
func (s *system) texts(ctx context.Context, p *mapping.Compiled) texts {
	n, ok := s.node.(*ros1.Node)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return textsOf(p, func(param *mapping.Parameter) any {
		v, err := n.CallMaster(ctx, "getParam", param.Name)
		if err != nil {
			return nil
		}
		return v
	})
}

// names yields the names of a pattern with the known texts filled in. A pattern with the prefix of the robot's team has
// two names if the prefixes of both teams are known. The second value reports whether one of the namespaces has this
// prefix. For patterns without the prefix, it is true.
func (t texts) names(pattern string, namespaces []string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		pattern := braces.ReplaceAllStringFunc(pattern, func(q string) string {
			if text, known := t[strings.Trim(q, "{}")]; known {
				return text
			}
			return q
		})
		cyan, magenta := t[cyanPrefix], t[magentaPrefix]
		if !strings.Contains(pattern, "{"+teamPrefix+"}") || cyan == "" || magenta == "" {
			yield(pattern, true)
			return
		}
		for _, prefix := range []string{cyan, magenta} {
			there := slices.ContainsFunc(namespaces, func(ns string) bool {
				return strings.HasPrefix(base(ns), prefix)
			})
			if !yield(strings.ReplaceAll(pattern, "{"+teamPrefix+"}", prefix), there) {
				return
			}
		}
	}
}

// ofOtherTeam returns expressions that match the names that the profile's patterns would have if the prefixes of the
// two teams were swapped. Robots' programs may use these names, but the simulator does not.
func (t texts) ofOtherTeam(p *mapping.Compiled) (names []*regexp.Regexp) {
	other := maps.Clone(t)
	if other == nil {
		return nil
	}
	other[cyanPrefix], other[magentaPrefix] = t[magentaPrefix], t[cyanPrefix]
	if other[cyanPrefix] == "" || other[magentaPrefix] == "" {
		return nil
	}
	for _, kind := range kinds(p) {
		for _, entry := range kind.entries {
			pattern := entry.Pattern()
			if !absolute(entry) || !strings.Contains(pattern, "{"+cyanPrefix+"}") && !strings.Contains(pattern,
				"{"+magentaPrefix+"}") {
				continue
			}
			for name := range other.names("/"+strings.TrimPrefix(pattern, "/"), nil) {
				names = append(names, matcher("", name))
			}
		}
	}
	return names
}
