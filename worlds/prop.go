package worlds

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Prop is an object whose shape comes from a glTF file. Images show it, but nothing touches it.
type Prop struct {
	Name  string           `toml:"name" required:"true" match:"name" fixed:"true"`
	File  string           `toml:"file" required:"true" doc:".gltf or .glb file, relative to the folder of this one, or one that ships: props/bench.gltf, props/banner.glb; y up, z forward"`
	Scale float64          `toml:"scale" range:"(0, 1000]"`
	Hang  action.PoseInAir `toml:"hang"`
	group *render.Group
}

// SetDefaults sets the scale at which the prop has the size given in its glTF file.
func (p *Prop) SetDefaults() { p.Scale = 1 }

// Group returns the contents of the prop's glTF file.
func (p *Prop) Group() *render.Group { return p.group }

// BindNode also reads the glTF file. Errors in that file therefore point at the file's name in the world file.
func (p *Prop) BindNode(n *schema.Node) error {
	err := n.Bind(p)
	key := n.Get("file")
	if key == nil || p.File == "" || !(p.Scale > 0) {
		return err
	}
	for _, other := range key.Alternatives() {
		if file, ok := other.Text(); ok {
			if _, loadErr := (&Prop{File: file, Scale: p.Scale}).load(&sourcesOf(n).models,
				key.File()); loadErr != nil {
				err = errors.Join(err, other.Errorf("%w", loadErr))
			}
		}
	}
	if err != nil {
		return err
	}
	group, loadErr := p.load(&sourcesOf(n).models, key.File())
	if loadErr != nil {
		return key.Errorf("%w", loadErr)
	}
	p.group = group
	return nil
}

// load reads the glTF file of a prop. from is the world file that refers to it.
func (p *Prop) load(library *models.Library, from string) (*render.Group, error) {
	file, ships := propFile(library.In, p.File, from)
	if ships {
		return library.LoadFS(shipped, file, p.Scale)
	}
	return library.Load(file, p.Scale)
}

// propFile returns the path of a prop's glTF file. from is the world file that refers to it. The result ships is true
// if the glTF file ships with the program.
func propFile(in *files.FS, name, from string) (file string, ships bool) {
	if inside, ok := strings.CutPrefix(from, embeddedPrefix); ok {
		return path.Join(path.Dir(inside), name), true
	}
	file = besides(from, name)
	if _, err := in.Stat(file); err != nil {
		if _, err := fs.Stat(shipped, path.Clean(name)); err == nil {
			return path.Clean(name), true
		}
	}
	return file, false
}
