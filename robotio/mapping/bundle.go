package mapping

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

// Bundle returns a world together with all files that it needs, including its robots' profiles and their message
// definitions: see [worlds.World.Bundle]. Bundle leaves out profiles with errors, and loading such a profile from the
// bundle fails.
func Bundle(w *worlds.World) (worlds.Bundle, error) {
	p := packer{loader: loader{in: w.Source()}, names: map[string]string{}, folders: map[string]string{}}
	return w.Bundle(p.profile)
}

// packer adds the profiles of one world to a bundle. It adds each profile only once.
type packer struct {
	loader
	names   map[string]string // names of profiles in the bundle, by their name or path in the world file
	folders map[string]string // folders of definitions in the bundle, by path; "": the folder has no definitions
	count   int               // number of profiles
}

// profile adds a profile to a bundle and returns the name of the profile in the bundle.
func (p *packer) profile(b worlds.Bundle, nameOrPath string) string {
	if name, known := p.names[nameOrPath]; known {
		return name
	}
	name := nameOrPath
	if profile, err := p.load(nameOrPath, nil); err != nil {
		name = "profiles/" + filepath.Base(nameOrPath)
	} else if !profile.Ships() {
		name = p.pack(b, profile)
	}
	p.names[nameOrPath] = name
	return name
}

// pack adds a loaded profile, and first the profiles that it includes, to a bundle. It returns the name of the profile
// in the bundle.
func (p *packer) pack(b worlds.Bundle, profile *Profile) string {
	filename := profile.file.Root().File()
	dir := filepath.Dir(filename)
	values := map[string]string{}
	replace := func(key string, name func(string) string) {
		node := profile.file.Root().Get(key)
		if node == nil {
			return
		}
		var names []string
		for _, text := range node.Value().([]any) {
			if n := name(text.(string)); n != "" {
				names = append(names, encode.Quote(n))
			}
		}
		values[key] = "[" + strings.Join(names, ", ") + "]"
	}
	replace("include", func(name string) string {
		if name = p.profile(b, includePath(name, dir)); strings.Contains(name, "/") {
			name = "../../" + name
		}
		return name
	})
	replace("types", func(types string) string {
		if slices.Contains(msg.Dialects(), types) {
			return types
		}
		if name := p.types(b, types, dir); name != "" {
			return "../../" + name
		}
		return ""
	})
	p.count++
	name := fmt.Sprintf("profiles/%d/%s", p.count, filepath.Base(filename))
	b[name] = profile.file.Replace(values)
	return name
}

// types adds a folder of message definitions to a bundle. It returns the name of the folder in the bundle, or "" if the
// folder has no definitions.
func (p *packer) types(b worlds.Bundle, types, dir string) string {
	folder, _ := p.typesAt(types, dir) // no error, because the profile has been loaded
	name, known := p.folders[folder]
	if known {
		return name
	}
	read, _ := msg.Files(p.in.Folder(folder, msg.MaxText))
	if len(read) > 0 {
		name = fmt.Sprintf("types/%d", len(p.folders)+1)
	}
	for file, text := range read {
		b[name+"/"+file] = text
	}
	p.folders[folder] = name
	return name
}
