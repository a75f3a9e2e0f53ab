package scenery

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// The texture of a ball with panels has one cell for each of the icosahedron's faces, of which shapes.Sphere is made.
const (
	panelLevels  = 3   // of shapes.Sphere
	panelColumns = 5   // cells in a row
	panelRows    = 4   // rows of cells
	panelPixels  = 128 // side of a cell
	panelMargin  = 16  // pixels around a face, so that coarse mip levels mix few texels of other faces
)

// panelFaces returns the corners of the icosahedron's faces, as directions.
var panelFaces = sync.OnceValue(func() (faces [panelColumns * panelRows][3]mgl64.Vec3) {
	m := shapes.Sphere(1, 0)
	for i, v := range m.Indices {
		faces[i/3][i%3] = spatial.Vec64(m.Vertices[v].Normal)
	}
	return faces
})

// panelled returns a sphere around the origin with places in the texture of panels. A face's corners are at the top
// left, the bottom left and the top right of its cell, within the margin.
func panelled(radius float64) render.Mesh {
	m := shapes.Sphere(radius, panelLevels)
	var out render.Mesh
	for i, v := range m.Indices {
		f := i / (3 << (2 * panelLevels))
		c := panelFaces()[f]
		share := mgl64.Mat3FromCols(c[0], c[1], c[2]).Inv().Mul3x1(spatial.Vec64(m.Vertices[v].Normal))
		share = share.Mul(1 / (share[0] + share[1] + share[2]))
		const side = panelPixels - 2*panelMargin
		x := float64(f%panelColumns*panelPixels+panelMargin) + side*share[2]
		y := float64(f/panelColumns*panelPixels+panelMargin) + side*share[1]
		out.Indices = append(out.Indices, uint32(i))
		out.Vertices = append(out.Vertices, m.Vertices[v])
		out.UV = append(out.UV, mgl32.Vec2{float32(x / (panelColumns * panelPixels)),
			float32(y / (panelRows * panelPixels))})
	}
	return out
}

// panels returns the reflectance of a used ball relative to that of its colour. Twelve pentagons and twenty hexagons
// are dirty, and the seams between them, which nothing touches, are less so. The numbers are guesses by photographs.
var panels = sync.OnceValue(func() *render.Texture {
	const (
		seam  = 0.018 // half the width of a seam, on a ball of radius 1
		dirty = 0.18  // light that a panel loses more than a seam
	)
	marks := ballMarks()
	im := render.NewImage(panelColumns*panelPixels, panelRows*panelPixels)
	for y := range im.Height {
		for x := range im.Width {
			c := panelFaces()[y/panelPixels*panelColumns+x/panelPixels]
			const side = panelPixels - 2*panelMargin
			var share mgl64.Vec3
			share[2] = (float64(x%panelPixels) + 0.5 - panelMargin) / side
			share[1] = (float64(y%panelPixels) + 0.5 - panelMargin) / side
			share[0] = 1 - share[1] - share[2]
			light := 1 - dirty*(1-math.Exp(-math.Pow(toSeam(share)/seam, 2)))
			at := c[0].Mul(share[0]).Add(c[1].Mul(share[1])).Add(c[2].Mul(share[2])).Normalize()
			for _, m := range marks {
				light *= m.light(at)
			}
			for k := range 3 {
				im.Pix[3*(y*im.Width+x)+k] = render.Encode8(float32(light))
			}
		}
	}
	return render.NewTexture(im, [2]render.Wrap{render.ClampToEdge, render.ClampToEdge})
})

// toSeam returns the distance from a point of an icosahedron's face to the nearest seam, on a ball of radius 1. share
// holds the weights of the face's corners in the point. They add up to 1.
func toSeam(share mgl64.Vec3) float64 {
	const height = 0.91 // of a face
	nearest := math.Inf(1)
	for k, s := range share {
		nearest = min(nearest, math.Abs(s-2./3)) // between a pentagon and a hexagon
		if max(share[(k+1)%3], share[(k+2)%3]) < 2./3 {
			nearest = min(nearest, math.Abs(s)) // between two hexagons
		}
	}
	return nearest * height
}

// ballMark is dirt on a ball: an arc of a great circle with blurred borders, or a spot if it has no length.
type ballMark struct {
	from, along           mgl64.Vec3 // directions of its start and, at a right angle to it, of its course
	length, width, darker float64    // on a ball of radius 1; largest loss of light, as a share
}

func (m *ballMark) light(at mgl64.Vec3) float64 {
	nearest := m.from
	if m.length > 0 {
		course := max(0, min(m.length, math.Atan2(at.Dot(m.along), at.Dot(m.from))))
		nearest = m.from.Mul(math.Cos(course)).Add(m.along.Mul(math.Sin(course)))
	}
	off := at.Sub(nearest).Len() / m.width
	if off > 6.1 {
		return 1 // to the last bit, since exp(-6.1²) < 2⁻⁵³
	}
	return 1 - m.darker*math.Exp(-off*off)
}

// ballMarks returns the marks of a used ball: spots, and thin scratches.
func ballMarks() (marks []ballMark) {
	random := rand.New(rand.NewPCG(1, 48))
	direction := func() mgl64.Vec3 {
		return mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Normalize()
	}
	for i := range 60 {
		m := ballMark{from: direction(), width: 0.06 + 0.2*random.Float64(), darker: 0.25 * random.Float64()}
		m.along = m.from.Cross(direction()).Normalize()
		if i%5 == 0 {
			m.length, m.width = 0.1+0.3*random.Float64(), 0.015+0.025*random.Float64()
			m.darker = 0.1 + 0.35*random.Float64()
		}
		marks = append(marks, m)
	}
	return marks
}
