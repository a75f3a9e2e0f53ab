package shapes

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Texture returns a mesh of the same surface with places in a texture, whose image is as wide and as high as given, in
// m. The mesh is at poseBP in an upright body B. On upright sides the image stands upright: its lower edge is at the
// height bottom, and its middle is where the side is nearest to the body's axis. On other sides, x is to its right and
// y is up. On a round mesh, whose axis is that of P, the image goes around the axis a whole number of times.
func Texture(m render.Mesh, poseBP spatial.Pose, width, height, bottom float64, round bool) render.Mesh {
	var out render.Mesh
	for t := 0; t < len(m.Indices); t += 3 {
		first := 0.0 // bearing of the first corner around the axis
		for k, i := range m.Indices[t : t+3] {
			v := m.Vertices[i]
			p, n := poseBP.Apply(spatial.Vec64(v.Pos)), poseBP.Rotate(spatial.Vec64(v.Normal))
			at := mgl64.Vec2{p[0]/width + 0.5, 0.5 - p[1]/height}
			if math.Abs(n[2]) < 0.7 {
				right := (p[1]*n[0]-p[0]*n[1])/width + 0.5
				if round {
					bearing := math.Atan2(float64(v.Pos[1]), float64(v.Pos[0]))
					if k == 0 {
						first = bearing
					}
					turns := (first + math.Remainder(bearing-first, 2*math.Pi)) / (2 * math.Pi)
					radius := math.Hypot(float64(v.Pos[0]), float64(v.Pos[1]))
					right = turns*max(1, math.Round(2*math.Pi*radius/width)) + 0.5
				}
				at = mgl64.Vec2{right, 1 - (p[2]-bottom)/height}
			}
			out.Indices = append(out.Indices, uint32(len(out.Vertices)))
			out.Vertices = append(out.Vertices, v)
			out.UV = append(out.UV, mgl32.Vec2{float32(at[0]), float32(at[1])})
		}
	}
	return out
}
