package gl_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// From directly above, the sum of a line's light is its width in pixels, wherever it falls, also if it is thinner than
// a pixel. The carpet is black here, and the lines' grain is at most 12 %, less for large pixels.
func TestLinesKeepTheirWidth(t *testing.T) { eachRasteriser(t, linesKeepTheirWidth) }

func linesKeepTheirWidth(t *testing.T, open opener) {
	const width = 0.125
	for _, height := range []float64{3, 12, 40} {
		for _, offset := range []float64{0, 0.03, 0.11} {
			r := open(t, withFloor(bare(), 20, spatial.Mark{Kind: spatial.Segment, A: [2]float64{-10, offset},
				B: [2]float64{10, offset}, Width: width}))
			m := optics.PinholeFromFOV(160, 120, 0.8)
			view := colorView(m, forward(mgl64.Vec3{0, 0, height}, 0, math.Pi/2, 0)) // u runs along −y
			draw(t, r, nil, view)
			want := width * m.FX / height
			sum := 0.0
			rows := 0
			for v := 40; v < 80; v++ {
				rows++
				for u := range m.Width {
					sum += green(view.Color, u, v) / 0.8
				}
			}
			if got := sum / float64(rows); !scalar.EqualWithinAbs(got/want, 1, 0.1) {
				t.Errorf("from %v m, offset %v m: a line of %.3f pixels has the light of %.3f", height, offset, want,
					got)
			}
		}
	}
}

// At a grazing angle and at an angle to the image, the line's centre stays on its projection.
func TestLinesLieWhereTheyProject(t *testing.T) { eachRasteriser(t, linesLieWhereTheyProject) }

func linesLieWhereTheyProject(t *testing.T, open opener) {
	mark := spatial.Mark{Kind: spatial.Segment, A: [2]float64{4, -9}, B: [2]float64{7, 9}, Width: 0.125}
	r := open(t, withFloor(bare(), 20, mark))
	m := optics.PinholeFromFOV(640, 480, 1)
	view := colorView(m, forward(mgl64.Vec3{0, 0, 0.5}, 0, 0.05, 0))
	draw(t, r, nil, view)
	for i := -5; i <= 5; i++ {
		s := 0.5 + float64(i)*0.025 // within the image
		p := mgl64.Vec3{4 + 3*s, -9 + 18*s, 0}
		u, v, _ := m.Project(view.PoseWC.Inverse().Apply(p))
		// The mean height of the light in the column through the point; perspective shifts it by less than 0.1.
		col, sum, mean := int(math.Round(u)), 0.0, 0.0
		for y := int(v) - 8; y <= int(v)+8; y++ {
			w := green(view.Color, col, y)
			sum, mean = sum+w, mean+w*float64(y)
		}
		_, vAt, _ := columnCrossing(m, view, mark, float64(col))
		if got := mean / sum; !scalar.EqualWithinAbs(got, vAt, 0.2) {
			t.Errorf("column %d: line seen at %.2f, want %.2f", col, got, vAt)
		}
	}
}

// columnCrossing finds by bisection where a straight marking's centre line crosses a column of the image.
func columnCrossing(m optics.Pinhole, view render.View, k spatial.Mark, col float64) (s, v, u float64) {
	lo, hi := 0.0, 1.0
	at := func(s float64) (float64, float64) {
		p := mgl64.Vec3{k.A[0] + s*(k.B[0]-k.A[0]), k.A[1] + s*(k.B[1]-k.A[1]), 0}
		u, v, _ := m.Project(view.PoseWC.Inverse().Apply(p))
		return u, v
	}
	for range 60 {
		s = (lo + hi) / 2
		if u, v = at(s); u > col { // larger s is farther left
			lo = s
		} else {
			hi = s
		}
	}
	return s, v, u
}
