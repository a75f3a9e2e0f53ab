package tile

import (
	"bytes"
	"math"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// wildPoses are invalid or extreme poses.
func wildPoses() map[string]spatial.Pose {
	nan, inf := math.NaN(), math.Inf(1)
	turn := spatial.Identity()
	turn.Rot.W = nan
	return map[string]spatial.Pose{
		"not a number":     spatial.Translation(mgl64.Vec3{nan, nan, nan}),
		"one not a number": spatial.Translation(mgl64.Vec3{1, nan, 0}),
		"infinite":         spatial.Translation(mgl64.Vec3{inf, -inf, inf}), "turned by what is not a number": turn,
		"far": spatial.Translation(mgl64.Vec3{1e30, 1e30, 1e30}), "farther": spatial.Translation(mgl64.Vec3{-1e300, 0,
			1}), "deep": spatial.Translation(mgl64.Vec3{0, 0, -1e9}),
	}
}

// A body with a wild pose does not change the rest of the image.
func TestWildPosesHarmNothingElse(t *testing.T) {
	for seed := range uint64(4) {
		r := newRandom(200 + seed)
		s := crowded()
		poses, views := scattered(r.Rand, len(s.Bodies)), r.views(6)
		with := rendererOf(t, s, 0, 2)
		last := len(poses) - 3 // a post
		poses[last] = spatial.Translation(mgl64.Vec3{0, 0, -80})
		want := drawn(t, with, poses, views)
		for name, pose := range wildPoses() {
			poses[last] = pose
			for k, got := range drawn(t, with, poses, views) {
				if !same(&got, &want[k]) {
					t.Errorf("seed %d, view %d, a %T: other bytes with a body whose pose is %s", seed, k, got.Model,
						name)
				}
			}
		}
	}
}

// Views from inside of bodies, behind mirrors and across the near plane must not crash or hang.
func FuzzDrawing(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, wild uint8) {
		r := newRandom(seed)
		s := r.scene()
		poses, views := r.poses(len(s.Bodies)), r.views(1+r.IntN(3))
		scales := []float64{0, 1e-3, 0.1, 1, 1e3, 1e9, 1e30, math.MaxFloat64, math.Inf(1), math.NaN()}
		for i := range poses {
			if !r.once(1 + int(wild%4)) {
				continue
			}
			for axis := range 3 {
				poses[i].Pos[axis] *= scales[r.IntN(len(scales))]
			}
			if r.once(4) {
				poses[i].Rot.W = scales[r.IntN(len(scales))]
			}
		}
		for k := range views {
			v := &views[k]
			switch {
			case wild&4 != 0 && len(poses) > 0: // in a body
				v.PoseWC.Pos = poses[r.IntN(len(poses))].Pos
			case wild&8 != 0:
				v.PoseWC.Pos[r.IntN(3)] *= scales[r.IntN(len(scales))]
			case wild&16 != 0:
				v.PoseWC.Rot.V[r.IntN(3)] = scales[r.IntN(len(scales))]
			}
			if p, ok := v.Model.(optics.Pinhole); ok && wild&32 != 0 {
				p.FX *= scales[r.IntN(len(scales))]
				p.CY *= scales[r.IntN(len(scales))]
				v.Model = p
			}
		}
		best := 0
		if wild&64 != 0 {
			best = len(supportedKernels()) - 1
		}
		with := rendererOf(t, s, best, 2)
		defer with.Close()
		if err := with.Render(&render.Batch{PosesWB: poses, Views: views}); err != nil {
			t.Fatal(err)
		}
		if wild&128 != 0 {
			sane := r.poses(len(s.Bodies))
			drawn(t, with, sane, r.views(1))
		}
	})
}

func TestUnusualSizes(t *testing.T) {
	s := crowded()
	r := newRandom(300)
	poses := scattered(r.Rand, len(s.Bodies))
	with := rendererOf(t, s, 0, 2)
	var views []render.View
	for _, size := range [][2]int{{1, 1}, {2, 300}, {16, 16}, {17, 33}, {4096, 16}, {15, 31}} {
		w, h := size[0], size[1]
		v := render.View{Model: optics.PinholeFromFOV(w, h, 1.2), Color: render.NewImage(w, h),
			Depth: render.NewDepth(w, h)}
		v.PoseWC = spatial.RPY(mgl64.Vec3{-3, 0, 1}, 0, 0.3, 0).Mul(spatial.BodyToOptical())
		views = append(views, v)
	}
	for range 40 { // more than most batches have
		views = append(views, r.view())
	}
	for k, v := range drawn(t, with, poses, views) {
		if alone := drawn(t, with, poses, views[k:k+1]); !same(&v, &alone[0]) {
			t.Errorf("view %d of %d×%d: other bytes than alone", k, v.Color.Width, v.Color.Height)
		}
	}
}

func TestManyMayDrawAndClose(t *testing.T) {
	s := crowded()
	r := newRandom(400)
	poses, views := scattered(r.Rand, len(s.Bodies)), r.views(4)
	with := rendererOf(t, s, 0, 3)
	want := drawn(t, with, poses, views)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 4 {
				got := withNewImages(views)
				if err := with.Render(&render.Batch{PosesWB: poses, Views: got}); err != nil {
					t.Error(err)
				}
				for k := range got {
					if !bytes.Equal(got[k].Color.Pix, want[k].Color.Pix) {
						t.Errorf("view %d: its bytes change when other batches are drawn concurrently", k)
					}
				}
			}
		})
	}
	all.Wait()
	with.Close()
	with.Close()
	if err := with.Render(&render.Batch{PosesWB: poses, Views: views}); err == nil {
		t.Error("Render after Close reports no error")
	}
}
