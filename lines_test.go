//go:build cgo

package omnipitch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
)

// Without noise, the lines of level objects lie on the field's lines. Their total length agrees with the lines that
// level features finds between the bodies of the image.
func TestLinesAgreeWithThePictures(t *testing.T) {
	var closed, labelled float64
	randomScenes(t, 40, func(s *Sim, rnd *rand.Rand) {
		cameras := camerasOf(s)
		in := cameras[rnd.IntN(len(cameras))]
		*in.Config().Vision = abstraction.VisionConfig{MaxRange: 8, Lines: true}
		get := func(level abstraction.Level) *abstraction.ObjectList {
			o, err := s.Sensors().Capture(in.robotName, in.Config().Name, level)
			if err != nil {
				t.Fatal(err)
			}
			return o.Objects // never released: it is used below
		}
		truth, seen := get(abstraction.Truth), get(abstraction.Objects)
		if len(truth.Lines) < 10 || len(truth.Crossings) < 20 || len(truth.Circles) != 1 || len(truth.Goals) != 2 {
			t.Fatalf("truth has %d lines, %d crossings, %d circles, %d goals", len(truth.Lines), len(truth.Crossings),
				len(truth.Circles), len(truth.Goals))
		}
		for _, l := range seen.Lines {
			on := slices.ContainsFunc(truth.Lines, func(m abstraction.LineObject) bool {
				return distance(l.StartB, m) < 1e-6 && distance(l.EndB, m) < 1e-6
			})
			if !on {
				t.Errorf("%s: no line runs from %v to %v", in.Config().Name, l.StartB, l.EndB)
			}
			closed += l.Confidence
		}
		for _, c := range seen.Crossings {
			if !slices.ContainsFunc(truth.Crossings,
				func(o abstraction.CrossingObject) bool { return o.Kind == c.Kind && o.AtB.Sub(c.AtB).Len() < 1e-6 }) {
				t.Errorf("%s: no %s at %v", in.Config().Name, c.Kind, c.AtB)
			}
		}
		f, err := s.Sensors().Capture(in.robotName, in.Config().Name, abstraction.Features)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range f.Features.Segments {
			labelled += l.Confidence
		}
	})
	if labelled == 0 || !scalar.EqualWithinAbs(closed, labelled, 0.03*labelled) {
		t.Errorf("objects sees %.2f lines, features %.2f", closed, labelled)
	}
}

// distance returns the distance of a point from a line segment.
func distance(p mgl64.Vec2, l abstraction.LineObject) float64 {
	d := l.EndB.Sub(l.StartB)
	t := min(max(p.Sub(l.StartB).Dot(d)/d.Dot(d), 0), 1)
	return p.Sub(l.StartB.Add(d.Mul(t))).Len()
}
