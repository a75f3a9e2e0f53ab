package render

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Validate returns an error with every violation of the rules on which renderers rely.
func (s *Scene) Validate() error {
	var errs []error
	for i := range s.Meshes {
		m := &s.Meshes[i]
		if len(m.Indices)%3 != 0 {
			errs = append(errs, fmt.Errorf("meshes[%d]: %d indices: must be three a triangle", i, len(m.Indices)))
		}
		if n := len(m.UV); n > 0 && n != len(m.Vertices) {
			errs = append(errs, fmt.Errorf("meshes[%d]: %d texture coordinates: must be one for each of %d vertices", i,
				n, len(m.Vertices)))
		}
		if n := len(m.Colors); n > 0 && n != len(m.Vertices) {
			errs = append(errs, fmt.Errorf("meshes[%d]: %d colours: must be one for each of %d vertices", i, n,
				len(m.Vertices)))
		}
		for _, index := range m.Indices {
			if int(index) >= len(m.Vertices) {
				errs = append(errs, fmt.Errorf("meshes[%d]: index %d: must be below the number of vertices, %d", i,
					index, len(m.Vertices)))
				break
			}
		}
	}
	for i := range s.Materials {
		if m := &s.Materials[i]; m.Pattern == Textured {
			if err := m.Texture.validate(); err != nil {
				errs = append(errs, fmt.Errorf("materials[%d]: %w", i, err))
			}
		}
	}
	if s.Floor.Image != nil {
		if err := s.Floor.Image.validate(); err != nil {
			errs = append(errs, fmt.Errorf("floor: %w", err))
		}
	}
	for _, b := range s.Bodies {
		for i, p := range b.Parts {
			if p.Mesh < 0 || p.Mesh >= len(s.Meshes) || p.Material < 0 || p.Material >= len(s.Materials) {
				errs = append(errs, fmt.Errorf("body %q: parts[%d]: mesh %d, material %d: must exist", b.Name, i,
					p.Mesh, p.Material))
			}
		}
	}
	if n := len(s.Light.Spots); n > MaxSpots {
		errs = append(errs, fmt.Errorf("%d nearby lamps: must be at most %d", n, MaxSpots))
	}
	if p := s.Room.Picture; p != nil && (p.Width&(p.Width-1) != 0 || p.Height&(p.Height-1) != 0 ||
		len(p.Pix) != 3*p.Width*p.Height || !(s.Room.PictureWidth > 0)) {
		errs = append(errs, fmt.Errorf("walls' picture of %d×%d: must have powers of two as sides and a width in the "+
			"hall", p.Width, p.Height))
	}
	return errors.Join(errs...)
}

// Abilities describes what a renderer can draw, apart from images of cameras with a single viewpoint and depth images
// of pinholes.
type Abilities struct {
	NonCentral  bool // images of cameras without a single viewpoint
	MirrorDepth bool // depth images of other cameras than pinholes
	Reflectance bool // Depth.Reflectance
	Truth       bool
	CubeMaps    bool
	LongestSide int // largest width and height of an image, pixels; 0 if there is no limit
}

// Check returns the Shading of the batch. This is the Scene's own Shading if the batch has none. Check returns an error
// if the batch does not fit the Scene, or if a renderer with the given abilities cannot draw it.
func (b *Batch) Check(s *Scene, can *Abilities) (*Shading, error) {
	n := len(s.Bodies)
	if len(b.PosesWB) != n {
		return nil, fmt.Errorf("frame: %d poses: must be one for each of the scene's %d bodies", len(b.PosesWB), n)
	}
	for i := range b.Views {
		if err := b.Views[i].check(can); err != nil {
			return nil, err
		}
		if before := b.Views[i].Before; before != nil && len(before.PosesWB) != n {
			return nil, fmt.Errorf("frame: %d poses before: must be as many as now, %d", len(before.PosesWB), n)
		}
	}
	if b.Shading == nil || b.Shading == &s.Shading {
		return &s.Shading, nil
	}
	if err := s.Accepts(b.Shading); err != nil {
		return nil, fmt.Errorf("shading: %w", err)
	}
	return b.Shading, nil
}

func (v *View) check(can *Abilities) error {
	if err := v.Validate(); err != nil {
		return err
	}
	_, skew := v.Model.(optics.NonCentral)
	_, pinhole := v.Model.(optics.Pinhole)
	w, h := v.Model.Size()
	switch {
	case skew && !can.NonCentral:
		return fmt.Errorf("model %T: must have a single viewpoint; a ray caster draws those without", v.Model)
	case v.Truth != nil && !can.Truth:
		return errors.New("truth: not supported; the tile renderer, a ray caster, and OpenGL on a graphics card compute it")
	case v.Depth != nil && !pinhole && !can.MirrorDepth:
		return fmt.Errorf("depth image of a %T: must be a pinhole's", v.Model)
	case v.Depth != nil && v.Depth.Reflectance != nil && !can.Reflectance:
		return errors.New("reflectance: not supported; the tile renderer and a ray caster compute it")
	case v.CubeFace > 0 && !can.CubeMaps:
		return ErrCubeMap
	case v.CubeFace > 0 && pinhole:
		return errors.New("cube map of a pinhole: must be a mirror's or a lens's")
	case can.LongestSide > 0 && max(w, h) > can.LongestSide:
		return fmt.Errorf("image of %d×%d: must have at most %d pixels a side", w, h, can.LongestSide)
	}
	return nil
}

// Accepts returns an error if another Shading cannot replace the Scene's own Shading. The replacement may differ in
// amounts, colours, places and directions. It must have the same number of lamps and materials, the same patterns and
// textures, and the same setting of Light.Shadowless.
func (s *Scene) Accepts(other *Shading) error {
	if n, want := len(other.Light.Spots), len(s.Light.Spots); n != want {
		return fmt.Errorf("%d nearby lamps: must be as many as in the scene, %d", n, want)
	}
	if n, want := len(other.Materials), len(s.Materials); n != want {
		return fmt.Errorf("%d materials: must be as many as in the scene, %d", n, want)
	}
	for i := range s.Materials {
		if other.Materials[i].Pattern != s.Materials[i].Pattern {
			return fmt.Errorf("materials[%d]: must have the scene's pattern", i)
		}
		if other.Materials[i].Texture != s.Materials[i].Texture {
			return fmt.Errorf("materials[%d]: must have the scene's texture", i)
		}
	}
	if other.Light.Shadowless != s.Light.Shadowless {
		return errors.New("must have shadows where the scene has them, and only there")
	}
	return nil
}

// Validate returns an error if an image does not have the size of the camera model, or if the chip or the ranging
// cannot be applied to the images.
func (v *View) Validate() error {
	w, h := v.Model.Size()
	if w <= 0 || h <= 0 {
		return fmt.Errorf("image of %d×%d: must not be empty", w, h)
	}
	if c := v.Color; c != nil && (c.Width != w || c.Height != h || len(c.Pix) != 3*w*h) {
		return fmt.Errorf("colour image of %d×%d: must have the camera's size %d×%d", c.Width, c.Height, w, h)
	}
	if c := v.Color; c != nil && c.Above != nil {
		if cols, rows := Cells(w, h); len(c.Above) != 3*cols*rows {
			return fmt.Errorf("light above white of %d numbers: must be three for each of the image's %d×%d cells",
				len(c.Above), cols, rows)
		}
	}
	if v.Color != nil && v.Chip != nil {
		if err := v.Chip.validate(w, h); err != nil {
			return err
		}
	}
	if n := v.CubeFace; n < 0 || n > MaxCubeFace {
		return fmt.Errorf("cube map with faces of %d pixels: must be at most %d, or 0 for none", n, MaxCubeFace)
	}
	if z := v.Depth; z != nil && (z.Width != w || z.Height != h || len(z.Z) != w*h) {
		return fmt.Errorf("depth image of %d×%d: must have the camera's size %d×%d", z.Width, z.Height, w, h)
	}
	if z := v.Depth; z != nil && z.Reflectance != nil && len(z.Reflectance) != w*h {
		return fmt.Errorf("reflectance of %d pixels: must be of the camera's %d×%d", len(z.Reflectance), w, h)
	}
	if v.Depth != nil && v.Ranging != nil {
		if _, ok := v.Model.(optics.Pinhole); !ok {
			return fmt.Errorf("ranging through a %T: must be through a pinhole", v.Model)
		}
		if err := v.Ranging.validate(); err != nil {
			return err
		}
		if v.Ranging.DarkRange > 0 && v.Depth.Reflectance == nil {
			return errors.New("ranging: dark range: needs the depth image's Reflectance")
		}
	}
	if t := v.Truth; t != nil {
		if err := t.validate(w, h); err != nil {
			return fmt.Errorf("truth: %w", err)
		}
	}
	if r := v.Radiance; r != nil && (r.Width != w || r.Height != h || len(r.Light) != 3*w*h || len(r.Error) != 3*w*h) {
		return fmt.Errorf("radiance of %d×%d: must have the camera's size %d×%d", r.Width, r.Height, w, h)
	}
	return nil
}

// validate returns an error unless a truth fits an image of w × h pixels.
func (t *Truth) validate(w, h int) error {
	if t.Width != w || t.Height != h {
		return fmt.Errorf("%d×%d pixels: must have the camera's size %d×%d", t.Width, t.Height, w, h)
	}
	for _, field := range []struct {
		name      string
		n, each   int
		mayBeNone bool
	}{
		{"Labels", len(t.Labels), 1, false}, {"Range", len(t.Range), 1, t.Range == nil},
		{"Normals", len(t.Normals), 3, t.Normals == nil}, {"Flow", len(t.Flow), 2, t.Flow == nil},
	} {
		if field.n != field.each*w*h && !field.mayBeNone {
			return fmt.Errorf("%s has %d numbers: must have %d for each of the camera's %d×%d pixels", field.name, field.n,
				field.each, w, h)
		}
	}
	if t.Flow != nil && t.Range == nil {
		return errors.New("Flow: needs Range, which is nil")
	}
	return nil
}
