package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Segment sets a list to the result of the segmentation of an image, with misses, false positives and errors in pixels.
// The argument noise is the source of random numbers for the image's frame.
func (v *Vision) Segment(view *Viewpoint, env *Environment, picture Picture, noise random.Source, into *FeatureList) {
	into.Clear()
	maxRange := view.MaxRange
	view.MaxRange = math.Inf(1) // because targets out of vision's range still occlude others
	view.prepare()
	env.prepare()
	v.found = picture.Boxes(len(env.Targets), v.found)
	view.viewTargets(env, v.viewsFor(view))
	for i := range env.Targets {
		t := &env.Targets[i]
		switch {
		case t == env.Self:
		case t.Kind == PostKind:
			v.segmentPost(view, env, i, noise, into)
		case v.found[i].All.Pixels > 0:
			v.segmentTarget(view, env, i, picture, noise, into)
		}
	}
	if env.Lines != nil {
		l := lineDetector{view: view, picture: picture, maxRange: v.cfg.MaxRange}
		for g := range env.Bars {
			l.detectBar(&env.Bars[g], into)
		}
		l.detectPoints(env.Lines, into)
		l.detectSegments(env.Lines, into)
		l.detectCrossings(env.Lines, into)
		l.detectCircles(env.Lines, into)
	}
	if v.cfg.FalseRate > 0 && noise.Uniform(random.Index(streamFalse, 0)) < v.cfg.FalseRate {
		w, h := picture.Size()
		into.Balls = append(into.Balls, BallFeature{
			U:          noise.Uniform(random.Index(streamFalse, 1)) * float64(w),
			V:          noise.Uniform(random.Index(streamFalse, 2)) * float64(h),
			Diameter:   2 + 10*noise.Uniform(random.Index(streamFalse, 3)),
			Confidence: noise.Uniform(random.Index(streamFalse, 4)),
		})
	}
	view.MaxRange = maxRange
}

// segmentTarget appends a ball, a robot or an obstacle.
func (v *Vision) segmentTarget(view *Viewpoint, env *Environment, i int, picture Picture, noise random.Source,
	into *FeatureList) {
	t, f := &env.Targets[i], &v.found[i]
	visible := v.shownShare(view, env, i, picture)
	if v.viewsFor(view).all[i].distance > v.cfg.MaxRange || v.cfg.misses(env, t, visible, noise) {
		return
	}
	du, dv := v.errorsOf(t.Kind).Normal(noise, streamPixel, t.id)
	du, dv = du*v.cfg.PixelNoise, dv*v.cfg.PixelNoise
	b := BoxFeature{
		Kind: t.Kind, Name: t.Name, MinU: float64(f.All.MinU) + du, MaxU: float64(f.All.MaxU) + du,
		MinV: float64(f.All.MinV) + dv, MaxV: float64(f.All.MaxV) + dv, Pixels: f.All.Pixels, Confidence: visible,
	}
	if t.Kind == BallKind {
		size := &f.Half // contains one pixel if the ball fills no pixel by half
		into.Balls = append(into.Balls, BallFeature{
			U: (b.MinU + b.MaxU) / 2, V: (b.MinV + b.MaxV) / 2,
			Diameter: float64(1 + max(size.MaxU-size.MinU, size.MaxV-size.MinV)), Confidence: visible,
		})
		return
	}
	if c := &f.Marked; c.Pixels > 0 {
		b.Team = t.Team
		into.Cards = append(into.Cards, BoxFeature{
			Kind: t.Kind, Name: t.Name, Team: t.Team, MinU: float64(c.MinU) + du, MaxU: float64(c.MaxU) + du,
			MinV: float64(c.MinV) + dv, MaxV: float64(c.MaxV) + dv, Pixels: c.Pixels, Confidence: 1,
		})
	}
	into.Obstacles = append(into.Obstacles, b)
}

// shownShare returns the fraction of a target that the image shows, from 0 to 1.
func (v *Vision) shownShare(view *Viewpoint, env *Environment, i int, picture Picture) float64 {
	if view.visible(env, i, v.viewsFor(view)) == 1 {
		return 1
	}
	// The fraction of the target in the image if nothing occluded it, in closed form, times the visible fraction of its
	// pixels.
	occlusion := view.SelfOcclusion
	view.SelfOcclusion = nil
	inPicture := view.visibleBehind(env, i, v.viewsFor(view), nil, nil)
	view.SelfOcclusion = occlusion
	shown := v.found[i].All.Pixels
	return inPicture * float64(shown) / float64(max(picture.Unoccluded(i), shown))
}

// segmentPost appends a goal post.
func (v *Vision) segmentPost(view *Viewpoint, env *Environment, i int, noise random.Source, into *FeatureList) {
	t := &env.Targets[i]
	visible := view.visible(env, i, v.viewsFor(view))
	if v.viewsFor(view).all[i].distance > v.cfg.MaxRange || v.cfg.misses(env, t, visible, noise) || visible == 0 {
		return
	}
	foot := t.PoseWT.Pos
	middle, top := foot.Add(mgl64.Vec3{0, 0, t.Shape.Height / 2}), foot.Add(mgl64.Vec3{0, 0, t.Shape.Height})
	p := PostFeature{Name: t.Name, Confidence: visible}
	var okFoot, okTop bool
	p.Foot, okFoot = view.pixel(foot)
	p.Top, okTop = view.pixel(top)
	beside := mgl64.Vec3{view.PoseWC.Pos[1] - foot[1], foot[0] - view.PoseWC.Pos[0], 0}
	beside = beside.Mul(t.Shape.SizeY / 2 / math.Max(beside.Len(), 1e-9))
	a, okA := view.pixel(middle.Add(beside))
	b, okB := view.pixel(middle.Sub(beside))
	if !okFoot || !okTop || !okA || !okB {
		return
	}
	p.Width = math.Hypot(a[0]-b[0], a[1]-b[1])
	du, dv := v.errorsOf(t.Kind).Normal(noise, streamPixel, t.id)
	for _, end := range []*[2]float64{&p.Foot, &p.Top} {
		end[0], end[1] = end[0]+du*v.cfg.PixelNoise, end[1]+dv*v.cfg.PixelNoise
	}
	into.Posts = append(into.Posts, p)
}

// pixel returns the pixel of a point in W, which may be outside of the image. It returns false if the camera model does
// not image the point.
func (vp *Viewpoint) pixel(p mgl64.Vec3) (at [2]float64, ok bool) {
	o := &vp.PoseWC.Pos
	at[0], at[1], ok = vp.Model.Project(spatial.TurnBack(&vp.rotWC, p[0]-o[0], p[1]-o[1], p[2]-o[2]))
	return at, ok
}
