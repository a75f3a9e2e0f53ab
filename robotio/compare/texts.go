package compare

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
)

// texts are what quantities in names stand for, by their names without braces, as far as that is known.
type texts map[string]string

// The quantities that say how names of robots begin, of each team, and of the robot's.
const (
	cyanPrefix    = "cyan.prefix"
	magentaPrefix = "magenta.prefix"
	teamPrefix    = "team.prefix"
)

// textsOf are those that a profile's parameters have, by what value says of each.
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

// textsOfWorld are those of a world, with the profile's names.
func textsOfWorld(p *mapping.Compiled, w *worlds.World) texts {
	if len(w.Robots) == 0 {
		return nil
	}
	c := p.NewContext(w, 0)
	return textsOf(p, func(param *mapping.Parameter) any { return param.Value(&c) })
}

// texts are those of the system.
func (s *system) texts(ctx context.Context, p *mapping.Compiled) texts {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return textsOf(p, func(param *mapping.Parameter) any {
		v, err := s.node.CallMaster(ctx, "getParam", param.Name)
		if err != nil {
			return nil
		}
		return v
	})
}

// names are the names that a pattern stands for, with each text that is known in its place: two with the prefix of the
// robot's team, where both are known. With each it yields whether there is a robot in namespaces whose name begins so;
// of other patterns that is true.
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
				return strings.HasPrefix(base(ns),
					prefix)
			})
			if !yield(strings.ReplaceAll(pattern, "{"+teamPrefix+"}", prefix), there) {
				return
			}
		}
	}
}

// ofOtherTeam returns what matches the names that one team's have for the other: a robot's program may use them, and
// the simulator does not.
func (t texts) ofOtherTeam(p *mapping.Compiled) (names []*regexp.Regexp) {
	other := texts{}
	for q, text := range t {
		other[q] = text
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
