package models

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// obj is what a Wavefront OBJ file has before a line.
type obj struct {
	*plain
	places, normals []mgl64.Vec3
	uvs             []mgl64.Vec2
	looks           map[string]func() render.Material // materials of its libraries
}

// readOBJ reads the polygons of a Wavefront OBJ file, with their normals and with the colours and textures of their
// materials.
func readOBJ(p *plain, data []byte) error {
	o := obj{plain: p, looks: map[string]func() render.Material{}}
	return eachLine(data, o.line)
}

func (o *obj) line(line int, fields []string) error {
	switch fields[0] {
	case "v", "vn":
		v, err := threeNumbers(fields)
		if fields[0] == "v" {
			o.places = append(o.places, v)
		} else {
			o.normals = append(o.normals, v)
		}
		return err
	case "vt":
		var uv mgl64.Vec2
		for k := range uv {
			if len(fields) > k+1 {
				if v, err := strconv.ParseFloat(fields[k+1], 64); err == nil && !math.IsNaN(v) { // otherwise 0
					uv[k] = v
				}
			}
		}
		o.uvs = append(o.uvs, uv)
	case "mtllib":
		name := strings.Join(fields[1:], " ")
		data, err := o.store.file(name)
		if err == nil {
			err = o.library(name, data)
		}
		if err != nil {
			o.leave("materials", fmt.Sprintf("%s:%d: %.60s: %v", o.file, line, name, err))
		}
	case "usemtl":
		name := strings.Join(fields[1:], " ")
		if look := o.looks[name]; look != nil {
			o.paint(name, look)
		} else {
			o.leave("materials", fmt.Sprintf("%s:%d: %.60s, which no library has", o.file, line, name))
			o.paint("", nil)
		}
	case "f":
		return o.polygon(fields[1:])
	}
	return nil
}

// library reads the materials of a file: their diffuse colours and textures.
func (o *obj) library(file string, data []byte) error {
	name := ""
	colors := map[string]mgl32.Vec3{}
	return eachLine(data, func(line int, fields []string) error {
		place := fmt.Sprintf("%s:%d", file, line)
		switch rest := strings.Join(fields[1:], " "); fields[0] {
		case "newmtl":
			name, colors[rest] = rest, mgl32.Vec3{0.8, 0.8, 0.8}
			o.looks[name] = func() render.Material { return painted(colors[rest]) }
		case "Kd":
			c, err := threeNumbers(fields)
			if err != nil {
				return err
			}
			for k := range c { // colours of OBJ files are those of screens
				c[k] = render.Linear(min(max(c[k], 0), 1))
			}
			colors[name] = mgl32.Vec3{float32(c[0]), float32(c[1]), float32(c[2])}
		case "map_Kd":
			if strings.HasPrefix(rest, "-") {
				o.leave("textures", place+" with options")
				return nil
			}
			of := name
			o.looks[of] = func() render.Material { return o.textured(colors[of], rest, place) }
		case "d", "Tr":
			v, err := strconv.ParseFloat(rest, 64)
			if err == nil && (fields[0] == "d" && v < 1 || fields[0] == "Tr" && v > 0) {
				o.leave("transparency", place)
			}
		case "map_Bump", "map_bump", "bump", "norm", "map_d", "map_Ks", "map_Ke":
			o.leave("other textures", place)
		}
		return nil
	})
}

// polygon adds a polygon. Its corners are v, v/vt, v//vn or v/vt/vn.
func (o *obj) polygon(fields []string) error {
	if len(fields) < 3 {
		return fmt.Errorf("a face has %d corners: must be at least 3", len(fields))
	}
	corners := make([]polygonCorner, len(fields))
	for i, field := range fields {
		parts := strings.Split(field, "/")
		c, err := &corners[i], error(nil)
		c.pos, err = numbered(o.places, parts[0], "vertex")
		if err == nil && len(parts) > 1 && parts[1] != "" {
			c.uv, err = numbered(o.uvs, parts[1], "texture vertex")
		}
		if err == nil && len(parts) > 2 {
			c.normal, err = numbered(o.normals, parts[2], "normal")
		}
		if err != nil {
			return err
		}
	}
	return o.fan(corners)
}

// numbered returns an element by its number in a file: from 1 on, or from the end for negative numbers.
func numbered[T any](all []T, number, what string) (v T, err error) {
	i, err := strconv.Atoi(number)
	if i < 0 {
		i += len(all) + 1
	}
	if err != nil || i < 1 || i > len(all) {
		return v, fmt.Errorf("%s %.20q: must be the number of one of the %d before it", what, number, len(all))
	}
	return all[i-1], nil
}
