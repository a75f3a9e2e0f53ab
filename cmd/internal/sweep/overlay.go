package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

// step is one part of the path of a key: the key of a table. If the key holds a list, elem is the name of an element of
// the list.
type step struct{ key, elem string }

// parseKey parses the path of a key, such as robot[cyan1].sensor[omni].level or model."robots/own.toml".body.mass_kg.
func parseKey(text string) (steps []step, err error) {
	bad := errors.New("must be the path of a key, such as physics.engine or robot[cyan1].pose.x_m")
	for rest := text; ; {
		var s step
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, bad
			}
			s.key, _ = strconv.Unquote(quoted)
			rest = rest[len(quoted):]
		} else {
			end := strings.IndexFunc(rest, func(c rune) bool {
				return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-')
			})
			if end < 0 {
				end = len(rest)
			}
			s.key, rest = rest[:end], rest[end:]
		}
		if s.key == "" {
			return nil, bad
		}
		if inside, ok := strings.CutPrefix(rest, "["); ok {
			name, after, closed := strings.Cut(inside, "]")
			if !closed || name == "" {
				return nil, bad
			}
			s.elem, rest = name, after
		}
		steps = append(steps, s)
		if rest == "" {
			if s.elem != "" {
				return nil, fmt.Errorf("must end with a key of %s[%s]", s.key, s.elem)
			}
			return steps, nil
		}
		if !strings.HasPrefix(rest, ".") {
			return nil, bad
		}
		rest = rest[1:]
	}
}

// overlayName returns the name of the generated world file. The name lies in the folder of the sweep file, but no such
// file exists on disk.
func (f *File) overlayName() string {
	return filepath.Join(f.folder(), filepath.Base(f.path)+" (keys)")
}

// overlay is a generated world file that includes another world and sets the keys of a point.
type overlay struct {
	text  strings.Builder
	lines []int // index of the setting on each line, or -1
}

func (o *overlay) line(setting int, format string, args ...any) {
	fmt.Fprintf(&o.text, format+"\n", args...)
	o.lines = append(o.lines, setting)
}

// item is a setting of the point that write must write.
type item struct {
	setting int
	steps   []step
}

// write writes the keys of one table or list element. Plain keys come first: after the header of another table they
// would belong to that table.
func (o *overlay) write(p Point, header []string, items []item) {
	plain := func(it item) int { return slices.IndexFunc(it.steps, func(s step) bool { return s.elem != "" }) }
	for _, it := range items {
		if plain(it) < 0 {
			var dotted []string
			for _, s := range it.steps {
				dotted = append(dotted, bare(s.key))
			}
			o.line(it.setting, "%s = %s", strings.Join(dotted, "."), literal(p[it.setting].Value))
		}
	}
	done := make([]bool, len(items))
	for i, it := range items {
		n := plain(it)
		if n < 0 || done[i] {
			continue
		}
		list := slices.Clone(header)
		for _, s := range it.steps[:n+1] {
			list = append(list, bare(s.key))
		}
		o.line(it.setting, "[[%s]]", strings.Join(list, "."))
		o.line(it.setting, "name = %s", encode.Quote(it.steps[n].elem))
		var within []item
		for k := i; k < len(items); k++ {
			if !done[k] && len(items[k].steps) > n+1 && slices.Equal(items[k].steps[:n+1], it.steps[:n+1]) {
				done[k] = true
				within = append(within, item{items[k].setting, items[k].steps[n+1:]})
			}
		}
		o.write(p, list, within)
	}
}

// bare returns a key in TOML syntax, in quotes only if necessary.
func bare(key string) string {
	if strings.ContainsFunc(key, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-')
	}) {
		return basic(key)
	}
	return key
}

// basic returns a text as a TOML basic string. It is used for keys and for the value of the key include. In both, the
// text {name} is not replaced by the value of a variable.
func basic(text string) string {
	quoted, _ := json.Marshal(text) // JSON strings are valid TOML basic strings
	return string(quoted)
}

// literal returns a value as TOML in one line.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return encode.Quote(v)
	case float64:
		switch {
		case math.IsInf(v, 1):
			return "inf"
		case math.IsInf(v, -1):
			return "-inf"
		case math.IsNaN(v):
			return "nan"
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = literal(v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, bare(key)+" = "+literal(v[key]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return fmt.Sprint(v)
}

// overlayOf returns a world file that includes the file world and sets the keys of the point p.
func (f *File) overlayOf(world string, p Point) (*overlay, error) {
	o := &overlay{}
	o.line(-1, "include = [%s]", basic(world))
	items := make([]item, len(p))
	for i := range p {
		steps, err := parseKey(p[i].Key)
		if err != nil {
			return nil, f.file.Locate(&schema.Violation{Path: p[i].path, Key: p[i].key, Rule: err.Error()})
		}
		items[i] = item{i, steps}
	}
	o.write(p, nil, items)
	return o, nil
}

// load reads a world of the sweep and sets the keys of a point. Errors in keys of the point are reported at their
// position in the sweep file.
func (f *File) load(world int, p Point, checks []func(*worlds.World) error) (*worlds.World, error) {
	o, err := f.overlayOf(f.Worlds[world], p)
	if err != nil {
		return nil, err
	}
	name := f.overlayName()
	w, err := worlds.Parse(name, []byte(o.text.String()), checks...)
	if err == nil {
		return w, nil
	}
	var errs []error
	for _, e := range worlds.Errors(err) {
		placed, ok := e.(*schema.Error)
		if !ok || placed.File != name || placed.Line < 1 || placed.Line > len(o.lines) {
			errs = append(errs, e)
			continue
		}
		v := &schema.Violation{Key: fmt.Sprintf("worlds[%d]", world), Rule: placed.Rule}
		if s := o.lines[placed.Line-1]; s >= 0 {
			where := strings.Trim(strings.Join(slices.DeleteFunc([]string{placed.Where, placed.Key},
				func(s string) bool { return s == "" }), "."), ".")
			v = &schema.Violation{Path: p[s].path, Key: p[s].key, Value: p[s].Value, Rule: fmt.Sprintf("%s: %s", where,
				placed.Rule)}
			if strings.Contains(placed.Rule, "unknown key") && strings.HasPrefix(p[s].path, "axis") {
				v.Key, v.Value = "key", p[s].Key
			}
		} else if placed.Key != "include" {
			v.Rule = strings.TrimPrefix(placed.Error(), placed.Pos.String()+": ")
		}
		errs = append(errs, v)
	}
	return nil, f.file.Locate(errors.Join(errs...))
}
