package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

// Effective returns the world as a single file. Loading that file gives the same world. The file has every key with its
// value, and a comment that says where the value comes from. A world that was built in Go has no such comments.
// Effective fails for an invalid world. If the file would be too large, Effective returns both the file and an error.
func (w *World) Effective() ([]byte, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	e := effective{World: w, said: map[string]string{}}
	for i := range w.Robots {
		if w.NumberAssigned(i) {
			e.said[fmt.Sprintf("robot[%d].number", i)] = "from its name, or the next free number"
		}
	}
	if w.seeded {
		e.said["seed"] = "given beside the file"
	}
	text, _, err := e.text(w.standalone(besideNothing))
	return text, err
}

// besideNothing makes a world refer to files by absolute paths.
var besideNothing = placement{
	prop: absolute, occupancy: absolute, texture: absolute, animation: absolute,
	robot: func(d *described) string { return absolute(d.path) },
	profile: func(profile string) string {
		if isPath(profile) {
			return absolute(profile)
		}
		return profile
	},
}

// effective writes the effective file of a world.
type effective struct {
	*World
	said  map[string]string // for values that come from no file: texts that say where they come from, by path
	in    *files.FS         // file system of the files to which the world refers
	plain bool              // whether to write no comments
}

// text returns the file of a stand-alone world, and the world that is read from this file.
func (e *effective) text(alone *World) (text []byte, again *World, err error) {
	text, again, err = e.write(alone)
	// if robots differ, they lack keys that come from their models
	if err == nil && !reflect.DeepEqual(again.Robots, alone.Robots) {
		for i := range alone.Robots {
			alone.Robots[i].Model = ""
		}
		text, again, err = e.write(alone)
	}
	return text, again, err
}

// write returns a world's file, and the world that is read from this file. It leaves out a value that no decimal number
// gives exactly, if reading the file without it gives the same value by default.
func (e *effective) write(alone *World) (text []byte, again *World, err error) {
	text, again, err = e.without(alone, func(l encode.Line) bool { return l.Inexact && e.isDefault(l) })
	if err != nil {
		return text, again, err
	}
	have := linesOf(again)
	set := map[string]bool{}
	for _, l := range encode.Lines(alone) {
		if l.Inexact && e.isDefault(l) && have[l.Path].Text != l.Text {
			set[l.Path] = true
		}
	}
	if len(set) == 0 {
		return text, again, nil
	}
	return e.without(alone, func(l encode.Line) bool { return l.Inexact && e.isDefault(l) && !set[l.Path] })
}

// linesOf returns the lines of a world's file, by the paths of their keys.
func linesOf(w *World) map[string]encode.Line {
	all := map[string]encode.Line{}
	for _, l := range encode.Lines(w) {
		if l.Key {
			all[l.Path] = l
		}
	}
	return all
}

// without writes the file of a world, except for the lines for which omit returns true.
func (e *effective) without(alone *World, omit func(encode.Line) bool) (text []byte, again *World, err error) {
	lines := slices.DeleteFunc(encode.Lines(alone), omit)
	for {
		text = e.join(lines)
		if again, err = e.parse(text); err == nil {
			return text, again, nil
		}
		// A file may not have some keys together, even with their default values: in wait_for, order = "all" excludes
		// the key answer. The refused keys are left out.
		refused := map[int]bool{}
		for _, err := range Errors(err) {
			placed, ok := errors.AsType[*schema.Error](err)
			if !ok || placed.Line < 1 || placed.Line > len(lines) || !e.isDefault(lines[placed.Line-1]) {
				return text, nil, fmt.Errorf("cannot be written as a single file: %w", err)
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

// parse reads the text of a file as any user of the file will read it.
func (e *effective) parse(text []byte) (*World, error) {
	return newSources(e.in).parseWorld("effective.toml", text, nil, nil)
}

// join returns the text that consists of the lines, with their comments.
func (e *effective) join(lines []encode.Line) []byte {
	var b strings.Builder
	for _, l := range lines {
		if !l.Key || e.file == nil || e.plain {
			fmt.Fprintln(&b, l.Text)
			continue
		}
		fmt.Fprintf(&b, "%-40s # %s\n", l.Text, cmp.Or(e.said[l.Path], e.origin(l.Path).String()))
	}
	return []byte(b.String())
}

// isDefault reports whether a line gives the value that its key has by default.
func (e *effective) isDefault(l encode.Line) bool {
	return l.Key && e.said[l.Path] == "" && e.origin(l.Path) == schema.Origin{}
}

func (w *World) origin(path string) (o schema.Origin) {
	if w.file != nil {
		o = w.file.Origin(path)
	}
	return o
}

// placement determines the paths by which a stand-alone world refers to the files that it still needs.
type placement struct {
	prop, profile, occupancy, texture, animation func(file string) string
	robot                                        func(d *described) string
}

// standalone returns the world without references to its files. It writes out the contents of included worlds, and of
// models given by a path. The argument paths determines the paths of all other files.
func (w *World) standalone(paths placement) *World {
	alone := *w
	alone.Include = nil
	alone.Robots, alone.Props = slices.Clone(w.Robots), slices.Clone(w.Props)
	for i := range alone.Robots {
		r := &alone.Robots[i]
		if filename, _, err := robotModels.find(w.Source(), r.Model,
			w.origin(fmt.Sprintf("robot[%d].model", i)).File); err != nil || !strings.HasPrefix(filename,
			embeddedPrefix) {
			r.Model = ""
		}
		switch d := r.described; {
		case d == nil:
			r.describedBy("") // Go code may have set it, which has no effect
		case !d.ships:
			r.describedBy(paths.robot(d))
		}
		for _, profiles := range []*[]string{&r.ROS1.Profiles, &r.ROS2.Profiles} {
			*profiles = slices.Clone(*profiles)
			for k, profile := range *profiles {
				(*profiles)[k] = paths.profile(profile)
			}
		}
	}
	for i := range alone.Robots {
		r := &alone.Robots[i]
		r.Animations = slices.Clone(r.Animations)
		for k := range r.Animations {
			a := &r.Animations[k]
			if _, err := fs.Stat(shipped, path.Clean(a.File)); err != nil && a.File != "" {
				a.File = paths.animation(a.File)
			}
		}
	}
	for i := range alone.Props {
		p := &alone.Props[i]
		file, ships := propFile(w.Source(), p.File, w.origin(fmt.Sprintf("prop[%d].file", i)).File)
		if !ships {
			file = paths.prop(file)
		}
		p.File = file
	}
	alone.Walls, alone.Boxes, alone.Cylinders = slices.Clone(w.Walls), slices.Clone(w.Boxes), slices.Clone(w.Cylinders)
	for i := range alone.Walls {
		alone.Walls[i].Openings = slices.Clone(alone.Walls[i].Openings)
	}
	if w.Map != nil {
		m := *w.Map
		file, ships := propFile(w.Source(), m.File, w.origin("map.file").File)
		if !ships {
			file = paths.occupancy(file)
		}
		m.File, alone.Map = file, &m
	}
	textures := alone.textures()
	for _, path := range slices.Sorted(maps.Keys(textures)) {
		if name := textures[path]; *name != "" {
			file, ships := propFile(w.Source(), *name, w.origin(path).File)
			if !ships {
				file = paths.texture(file)
			}
			*name = file
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
