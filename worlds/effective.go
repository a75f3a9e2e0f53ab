package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

// Effective returns the world as one file of its own that gives the same world again: every key with its value, and where that came from. A
// world that was built in Go gets no such comments. It fails for a world that is not valid, and returns what the file would be where that is too large for one.
func (w *World) Effective() ([]byte, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	e := effective{w, map[string]string{}}
	for i := range w.Robots {
		if w.NumberAssigned(i) {
			e.said[fmt.Sprintf("robot[%d].number", i)] = "the next that is free"
		}
	}
	if w.seeded {
		e.said["seed"] = "given beside the file"
	}
	alone := w.standalone()
	text, again, err := e.write(alone)
	if err == nil && !reflect.DeepEqual(again.Robots, alone.Robots) { // which have no longer all that their models have
		for i := range alone.Robots {
			alone.Robots[i].Model = ""
		}
		text, _, err = e.write(alone)
	}
	return text, err
}

// effective writes a world.
type effective struct {
	*World
	said map[string]string // where values came from that no file has
}

// write returns a world's file, and what is read from it.
func (e *effective) write(alone *World) (text []byte, again *World, err error) {
	lines := encode.Lines(alone)
	lines = slices.DeleteFunc(lines, func(l encode.Line) bool { return l.Inexact && e.isDefault(l) })
	for {
		text = e.text(lines)
		if again, err = Parse("effective.toml", text); err == nil {
			return text, again, nil
		}
		// Some defaults hold only while nothing says so: those of a robot that is waited for in another order, say.
		refused := map[int]bool{}
		for _, err := range Errors(err) {
			placed, ok := errors.AsType[*schema.Error](err)
			if !ok || placed.Line < 1 || placed.Line > len(lines) || !e.isDefault(lines[placed.Line-1]) {
				return text, nil, fmt.Errorf("cannot be a file of its own: %w", err)
			}
			refused[placed.Line-1] = true
		}
		var left []encode.Line
		for i, l := range lines {
			if !refused[i] {
				left = append(left, l)
			}
		}
		lines = left
	}
}

// text joins lines, with their comments.
func (e *effective) text(lines []encode.Line) []byte {
	var b strings.Builder
	for _, l := range lines {
		if !l.Key || e.file == nil {
			fmt.Fprintln(&b, l.Text)
			continue
		}
		fmt.Fprintf(&b, "%-40s # %s\n", l.Text, cmp.Or(e.said[l.Path], e.origin(l.Path).String()))
	}
	return []byte(b.String())
}

// isDefault tells whether a line says what holds without it.
func (e *effective) isDefault(l encode.Line) bool {
	return l.Key && e.said[l.Path] == "" && e.origin(l.Path) == schema.Origin{}
}

func (w *World) origin(path string) (o schema.Origin) {
	if w.file != nil {
		o = w.file.Origin(path)
	}
	return o
}

// standalone returns the world without references to its files: what it includes and models at paths are written out, and other paths are absolute.
func (w *World) standalone() *World {
	alone := *w
	alone.Include = nil
	alone.Robots, alone.Props = slices.Clone(w.Robots), slices.Clone(w.Props)
	for i := range alone.Robots {
		r := &alone.Robots[i]
		if filename, _, err := robotModels.find(r.Model, w.origin(fmt.Sprintf("robot[%d].model", i)).File); err != nil || !strings.HasPrefix(filename, embeddedPrefix) {
			r.Model = ""
		}
		r.ROS1.Profiles = slices.Clone(r.ROS1.Profiles)
		for k, profile := range r.ROS1.Profiles {
			if isPath(profile) {
				r.ROS1.Profiles[k] = absolute(profile)
			}
		}
	}
	for i := range alone.Props {
		p := &alone.Props[i]
		if from := w.origin(fmt.Sprintf("prop[%d].file", i)).File; !strings.HasPrefix(from, embeddedPrefix) {
			p.File = absolute(besides(from, p.File))
		}
	}
	return &alone
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
