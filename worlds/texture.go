package worlds

import (
	"fmt"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// maxTextureBytes is the largest size of the file of a texture.
const maxTextureBytes = 32 << 20

// white is the colour by which textures are multiplied by default.
const white render.Color = "#ffffff"

// textured reports whether a key of a node names an image.
func textured(n *schema.Node, key string) bool {
	at := n.Get(key)
	if at == nil {
		return false
	}
	name, _ := at.Text()
	return name != ""
}

// texture reads the image that a key of a node names, each only once. It returns nil if the key is absent or empty.
func texture(n *schema.Node, key, name string) (*render.Texture, error) {
	if !textured(n, key) {
		return nil, nil
	}
	at, s := n.Get(key), sourcesOf(n)
	var file mapFile
	file.path, file.ships = propFile(s.models.In, name, at.File())
	if t := s.textures[file]; t != nil {
		return t, nil
	}
	read := s.models.In.Read
	if file.ships {
		read = func(name string, _ int) ([]byte, error) { return shipped.ReadFile(name) }
	}
	data, err := read(file.path, maxTextureBytes)
	if err != nil {
		return nil, at.Errorf("%w", err)
	}
	t, err := s.models.Texture(data)
	if err != nil {
		return nil, at.Errorf("%w", err)
	}
	if s.textures == nil {
		s.textures = map[mapFile]*render.Texture{}
	}
	s.textures[file] = t
	return t, nil
}

// textures returns the names of the files of all textures, by their paths in the world.
func (w *World) textures() map[string]*string {
	all := map[string]*string{"floor.image": &w.Floor.Image}
	for i := range w.Walls {
		all[fmt.Sprintf("wall[%d].material.texture", i)] = &w.Walls[i].Material.Texture
		for k := range w.Walls[i].Openings {
			all[fmt.Sprintf("wall[%d].opening[%d].frame.texture", i, k)] = &w.Walls[i].Openings[k].Frame.Texture
		}
	}
	for i := range w.Boxes {
		all[fmt.Sprintf("box[%d].material.texture", i)] = &w.Boxes[i].Material.Texture
	}
	for i := range w.Cylinders {
		all[fmt.Sprintf("cylinder[%d].material.texture", i)] = &w.Cylinders[i].Material.Texture
	}
	if w.Map != nil {
		all["map.material.texture"] = &w.Map.Material.Texture
	}
	return all
}
