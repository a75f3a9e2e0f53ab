package sweep

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

// source returns a bundle of the files that a world was read from, with names relative to their common folder. A worker
// can load the world from this bundle with any seed. source takes as long as reading the world. It returns nil if the
// world needs other files, too, or if no folder holds all files. pack then writes the world with its values for one
// seed, as a recording does.
func (p *Plan) source(world, point int, w *worlds.World) worlds.Bundle {
	if len(w.Programs) > 0 { // programs need their folders
		return nil
	}
	for i := range w.Robots {
		if slices.ContainsFunc(w.Robots[i].ROS1.Profiles, func(name string) bool {
			return strings.ContainsAny(name,
				`/\.`)
		}) {
			return nil
		}
	}
	include, bundle := p.Worlds[world], worlds.Bundle{}
	own := slices.DeleteFunc(w.Files(), func(name string) bool { return name == p.overlayName() })
	if len(own) > 0 {
		top, err := filepath.Abs(filepath.Join(p.folder(), include))
		if filepath.IsAbs(include) {
			top, err = include, nil
		}
		if err != nil {
			return nil
		}
		paths := make([]string, len(own))
		root := filepath.Dir(top)
		for i := range own {
			if paths[i], err = filepath.Abs(own[i]); err != nil {
				return nil
			}
			for !strings.HasPrefix(paths[i], strings.TrimSuffix(root, "/")+"/") {
				if root == filepath.Dir(root) {
					return nil
				}
				root = filepath.Dir(root)
			}
		}
		for i, path := range append(paths, top) {
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil
			}
			name = filepath.ToSlash(name)
			if i == len(paths) {
				include = name
				break
			}
			if bundle[name], err = os.ReadFile(path); err != nil || name == "world.toml" {
				return nil
			}
		}
	}
	o, err := p.overlayOf(include, p.Points[point])
	if err != nil {
		return nil
	}
	bundle["world.toml"] = []byte(o.text.String())
	again, err := worlds.LoadBundle(bundle)
	if err != nil || !same(w, again) {
		return nil
	}
	return bundle
}

// same reports whether the worlds a and b have the same keys and values. It ignores the names of included files.
func same(a, b *worlds.World) bool {
	lines := func(w *worlds.World) []encode.Line {
		return slices.DeleteFunc(encode.Lines(w), func(l encode.Line) bool { return l.Path == "include" })
	}
	return slices.EqualFunc(lines(a), lines(b), func(x, y encode.Line) bool {
		return x.Path == y.Path &&
			x.Text == y.Text
	})
}
