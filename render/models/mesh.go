package models

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// mesh transforms points and normals. Without normals, each triangle gets its own corners and its own normal.
func (p *part) mesh() (render.Mesh, error) {
	n := p.size()
	m := render.Mesh{Vertices: make([]render.Vertex, 0, n.vertices), Indices: make([]uint32, 0, 3*n.triangles)}
	if p.places != nil {
		m.UV = make([]mgl32.Vec2, 0, n.vertices)
	}
	mirrored := p.atW.Det() < 0 // mirroring turns triangles inside out
	var err error
	if p.normals != nil {
		err = p.shared(&m)
	} else {
		err = p.apart(&m, mirrored)
	}
	if err != nil {
		return m, err
	}
	if mirrored {
		for t := 0; t < len(m.Indices); t += 3 {
			m.Indices[t+1], m.Indices[t+2] = m.Indices[t+2], m.Indices[t+1]
		}
	}
	if p.both {
		addBacks(&m)
	}
	return m, nil
}

// shared adds the vertices as in the file, where triangles share vertices.
func (p *part) shared(m *render.Mesh) error {
	turn := p.atW.Mat3().Inv().Transpose()
	for i := range p.positions.count {
		pos, err := p.position(i)
		if err != nil {
			return err
		}
		n := p.normals.vector(i)
		if l := n.Len(); math.IsNaN(l) || math.IsInf(l, 0) {
			return fmt.Errorf("normal %d is %v: must be finite", i, n)
		}
		m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(pos),
			Normal: spatial.Vec32(unit(turn.Mul3x1(n)))})
		if err := p.addPlace(m, i); err != nil {
			return err
		}
	}
	for i := range p.corners {
		index, err := p.index(i)
		if err != nil {
			return err
		}
		m.Indices = append(m.Indices, uint32(index))
	}
	return nil
}

// apart adds three vertices per triangle, so that triangles share no vertices.
func (p *part) apart(m *render.Mesh, mirrored bool) error {
	for t := 0; t < p.corners; t += 3 {
		var corners [3]mgl64.Vec3
		for k := range corners {
			index, err := p.index(t + k)
			if err != nil {
				return err
			}
			if corners[k], err = p.position(index); err != nil {
				return err
			}
			if err := p.addPlace(m, index); err != nil {
				return err
			}
		}
		n := unit(corners[1].Sub(corners[0]).Cross(corners[2].Sub(corners[0])))
		if mirrored {
			n = n.Mul(-1)
		}
		for _, pos := range corners {
			m.Indices = append(m.Indices, uint32(len(m.Vertices)))
			m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(pos), Normal: spatial.Vec32(n)})
		}
	}
	return nil
}

// index returns the index of a corner's position.
func (p *part) index(corner int) (int, error) {
	if p.indices == nil {
		return corner, nil
	}
	index := p.indices.integer(corner)
	if int64(index) >= int64(p.positions.count) {
		return 0, fmt.Errorf("index %d: there are %d positions", index, p.positions.count)
	}
	return int(index), nil
}

// position returns a position in the group's frame.
func (p *part) position(i int) (mgl64.Vec3, error) {
	pos := mgl64.TransformCoordinate(p.positions.vector(i), p.atW)
	if !(pos.Len() < 1000) { // also false for NaN
		return pos, fmt.Errorf("position %d is at %.4g: must be within a kilometre", i, pos)
	}
	return pos, nil
}

// addPlace adds the texture coordinates of a vertex.
func (p *part) addPlace(m *render.Mesh, i int) error {
	const farthest = 1000 // a float32 cannot distinguish texels farther away
	if p.places == nil {
		return nil
	}
	at := p.places.place(i)
	if !(math.Abs(at[0]) <= farthest && math.Abs(at[1]) <= farthest) { // also false for NaN
		return fmt.Errorf("place %d in the texture is %.4g: must lie within ±%d", i, at, farthest)
	}
	m.UV = append(m.UV, mgl32.Vec2{float32(at[0]), float32(at[1])})
	return nil
}

// addBacks adds, for every triangle, the same triangle seen from its back.
func addBacks(m *render.Mesh) {
	n := uint32(len(m.Vertices))
	for _, v := range m.Vertices[:n] {
		v.Normal = v.Normal.Mul(-1)
		m.Vertices = append(m.Vertices, v)
	}
	m.UV = append(m.UV, m.UV...)
	for t, end := 0, len(m.Indices); t < end; t += 3 {
		m.Indices = append(m.Indices, n+m.Indices[t], n+m.Indices[t+2], n+m.Indices[t+1])
	}
}

// material holds the parts of a glTF material that this package reads.
type material struct {
	DoubleSided          bool            `json:"doubleSided,omitempty"`
	PBRMetallicRoughness *pbr            `json:"pbrMetallicRoughness,omitempty"`
	AlphaMode            string          `json:"alphaMode,omitempty"`
	Extras               *extras         `json:"extras,omitempty"`
	texture              *render.Texture // nil if absent or not read yet
}

type pbr struct {
	BaseColorFactor          *[4]single   `json:"baseColorFactor,omitempty"`
	BaseColorTexture         *textureInfo `json:"baseColorTexture,omitempty"`
	MetallicFactor           *single      `json:"metallicFactor,omitempty"`
	RoughnessFactor          *single      `json:"roughnessFactor,omitempty"`
	MetallicRoughnessTexture *textureInfo `json:"metallicRoughnessTexture,omitempty"`
}

// single is a number that is written in single precision.
type single float64

func (s single) MarshalJSON() ([]byte, error) { return json.Marshal(float32(s)) }

// render converts metal and roughness to gloss and the exponent of the highlight, 2/α² − 2, where α is the square of
// the roughness. Source of the exponent: Karis, "Specular BRDF reference", 2013; of the rest: the glTF 2.0
// specification, appendix B.
func (m *material) render() render.Material {
	out := render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}, Gloss: 0.02, Shininess: 10, F0: mgl32.Vec3{0.04, 0.04,
		0.04}, Roughness: 1}
	if p := m.PBRMetallicRoughness; p != nil {
		c := or(p.BaseColorFactor, [4]single{1, 1, 1, 1})
		for i := range out.Color {
			out.Color[i] = float32(mgl64.Clamp(float64(c[i]), 0, 1))
		}
		if m.texture != nil {
			out.Color = m.texture.Mean
		}
		roughness := float64(or(p.RoughnessFactor, 1))
		rough := mgl64.Clamp(roughness, 0.1, 1)
		out.Shininess = float32(mgl64.Clamp(2/math.Pow(rough, 4)-2, 2, 250))
		metal := mgl64.Clamp(float64(or(p.MetallicFactor, 1)), 0, 1)
		out.Gloss = float32(0.02 + 0.7*metal*(1-rough))
		out.Roughness = float32(math.Pow(mgl64.Clamp(roughness, 0, 1), 2))
		if metal > 0.5 { // surfaces are either metal or not
			out.F0, out.Metal = out.Color, true
		} else if m.texture != nil {
			out.Pattern, out.Texture = render.Textured, m.texture
		}
	}
	return out
}

// or returns *p, or otherwise if p is nil.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
