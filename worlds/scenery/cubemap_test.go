//go:build cgo

package scenery_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// underMirrors returns, by the mirror's profile, what the attacker's camera is drawn with exactly and with a single viewpoint.
func underMirrors(t testing.TB) map[string][2]optics.Model {
	hyperbolic := scenery.DefaultMirror()
	hyperbolic.Pinhole = optics.PinholeFromFOV(640, 640, 66*math.Pi/180)
	spherical, err := optics.NewMirror(hyperbolic.Pinhole, optics.Sphere{Radius: 0.08}, 0.06, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	central, err := optics.NewCentral(spherical, 0.78)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][2]optics.Model{"hyperbolic": {hyperbolic, hyperbolic}, "spherical": {spherical, central}}
}

// underMirror returns the attacker's view with a model.
func underMirror(s *scenery.Scenery, robot spatial.Pose, m optics.Model) render.View {
	v := view(m, robot.Mul(spatial.Pose{Pos: mgl64.Vec3{0, 0, 0.78}, Rot: spatial.RotZ(math.Pi / 2)}))
	v.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
	return v
}

// The oracle is the ray caster, which follows each pixel's own ray. What is drawn directly and by way of a cube map differs from it as
// docs/cameras.md says of faces of each size: lines and edges blur, the more the smaller the faces; and without a single viewpoint what stands
// on the floor is elsewhere.
func TestMirrorMethodsErrAsDocumented(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	poses := s.Poses(now, nil)
	r, rays := renderer(t, s), caster(t, s)
	draw := func(r render.Renderer, v render.View) *render.Image {
		if err := r.Render(&render.Batch{PosesWB: poses, Views: []render.View{v}}); err != nil {
			t.Fatal(err)
		}
		return v.Color
	}
	type errs struct{ mean, p99 float64 } // at most, of the bytes, 0 to 255
	for profile, models := range underMirrors(t) {
		want := draw(rays, underMirror(s, now.Robots[0].PoseWB, models[0]))
		for face, most := range map[string]map[int]errs{
			"hyperbolic": {0: {0.35, 6}, 256: {1.5, 36}, 544: {0.9, 19}, 1024: {0.7, 16}},
			"spherical":  {0: {1.9, 66}, 544: {2.4, 66}},
		}[profile] {
			v := underMirror(s, now.Robots[0].PoseWB, models[1])
			v.CubeFace = face
			mean, p99 := byteErrors(draw(r, v), want)
			t.Logf("%s, faces of %d: mean %.2f, p99 %v", profile, face, mean, p99)
			if !(mean <= most.mean) || !(p99 <= most.p99) {
				t.Errorf("%s, faces of %d: mean error %.2f, p99 %v: want at most %v, %v", profile, face, mean, p99, most.mean, most.p99)
			}
			if face > 0 && !(mean > 0.5) {
				t.Errorf("%s, faces of %d: mean error %.2f: no cube map was drawn", profile, face, mean)
			}
		}
	}
}

// byteErrors returns the mean and the 99th percentile of the differences of two images' bytes.
func byteErrors(a, b *render.Image) (mean, p99 float64) {
	var counts [256]int
	for i := range a.Pix {
		d := math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
		mean += d / float64(len(a.Pix))
		counts[int(d)]++
	}
	below := 0
	for d, n := range counts {
		if below >= len(a.Pix)*99/100 {
			break
		}
		p99 = float64(d)
		below += n
	}
	return mean, p99
}

// BenchmarkMirrorMethods draws what a mirror shows in each way that there is.
func BenchmarkMirrorMethods(b *testing.B) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	poses := s.Poses(now, nil)
	r, rays := renderer(b, s), caster(b, s)
	for profile, models := range underMirrors(b) {
		for _, face := range []int{0, 256, 544, 1024} {
			v := underMirror(s, now.Robots[0].PoseWB, models[1])
			v.CubeFace = face
			benchmarkFrame(b, fmt.Sprintf("%s/face%d", profile, face), r, &render.Batch{PosesWB: poses, Views: []render.View{v}})
		}
		v := underMirror(s, now.Robots[0].PoseWB, models[0])
		benchmarkFrame(b, profile+"/raycast", rays, &render.Batch{PosesWB: poses, Views: []render.View{v}})
	}
}
