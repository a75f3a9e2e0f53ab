package abstraction

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The oracle compares every target with every other one, in every plane and one after the other. Visible shares are
// equal to the last bit.
func TestVisibleAsAllPairs(t *testing.T) {
	robot, mirror := NewSilhouette(fieldRobot()), optics.Prepared(
		optics.Hyperbolic{Pinhole: optics.PinholeFromFOV(640, 640, 1.15), K: 3.294, C: 0.1, RimRadius: 0.0683})
	front := optics.PinholeFromFOV(640, 480, 1.08)
	mirrorView, frontView := NewFieldOfView(mirror), NewFieldOfView(front)
	shares := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		env := Environment{}
		size := rapid.SampledFrom([]float64{1, 5, 9}).Draw(t, "size of the crowd")
		place := rapid.Float64Range(-size, size)
		for i := range rapid.IntRange(1, 90).Draw(t, "targets") {
			env.Targets = append(env.Targets, someTarget(t, i, place, robot))
		}
		if rapid.Bool().Draw(t, "walls") {
			env.Walls = NewSolids([]spatial.UprightBox{
				{Centre: mgl64.Vec3{place.Draw(t, "x"), place.Draw(t, "y"), 0.5}, Half: mgl64.Vec3{1, 0.1, 0.5},
					Heading: place.Draw(t, "heading")},
				{Centre: mgl64.Vec3{place.Draw(t, "x"), place.Draw(t, "y"), 0.5}, Half: mgl64.Vec3{0.3, 0.3, 0.5},
					Round: true}})
		}
		env.Self = &env.Targets[0]
		env.PoseWB = spatial.Planar(place.Draw(t, "x"), place.Draw(t, "y"), place.Draw(t, "heading"))
		vp := Viewpoint{Model: mirror, FieldOfView: mirrorView,
			MaxRange: rapid.SampledFrom([]float64{3, 8, math.Inf(1)}).Draw(t, "range")}
		poseBC := spatial.Translation(mgl64.Vec3{0, 0, rapid.SampledFrom([]float64{0.3, 0.73, 2}).Draw(t, "height")})
		if rapid.Bool().Draw(t, "front") {
			vp.Model, vp.FieldOfView = front, frontView
			poseBC = poseBC.Mul(spatial.RPY(mgl64.Vec3{0.2, 0, 0}, 0, 0.3, 0)).Mul(spatial.BodyToOptical())
		} else if rapid.Bool().Draw(t, "tilted") {
			poseBC = poseBC.Mul(spatial.RPY(mgl64.Vec3{}, 0.1, 0.3, 0))
		}
		if rapid.Bool().Draw(t, "on a robot") {
			vp.SelfOcclusion = NewSelfOcclusion(fieldRobot()[4:], poseBC.Pos)
		}
		vp.PoseWC = env.PoseWB.Mul(poseBC)
		vp.prepare()
		env.prepare()
		var o TargetViews
		for range 2 { // the second time in used memory
			vp.viewTargets(&env, &o)
			for i := range env.Targets {
				got, want := vp.visible(&env, i, &o), allPairs(&vp, &env, i, &o)
				if math.Float64bits(got) != math.Float64bits(want) {
					t.Fatalf("target %d (%v): %v, want %v", i, env.Targets[i].Shape, got, want)
				}
				switch {
				case want == 0 && !o.all[i].out:
					shares["hidden"]++
				case want > 0 && want < 1:
					shares["partly hidden"]++
				case want == 1:
					shares["free"]++
				}
			}
		}
	})
	for _, s := range []string{"hidden", "partly hidden", "free"} {
		if shares[s] < 10 {
			t.Errorf("%d targets were %s, want at least 10", shares[s], s)
		}
	}
}

// someTarget returns a ball, a robot, a pillar or a box at a random pose.
func someTarget(t *rapid.T, i int, place *rapid.Generator[float64], outline *Silhouette) Target {
	x, y, heading := place.Draw(t, "x"), place.Draw(t, "y"), place.Draw(t, "heading")
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return ball(x, y, rapid.SampledFrom([]float64{0.11, 0.11, 1, 3}).Draw(t, "z"))
	case 1:
		return pillar(fmt.Sprint("pillar", i), x, y, rapid.Float64Range(0.02, 0.5).Draw(t, "radius"))
	case 2:
		return box(fmt.Sprint("box", i), x, y, heading, rapid.Float64Range(0.02, 2).Draw(t, "size"), 0.3)
	}
	robot := NewTarget(RobotKind, fmt.Sprint("robot", i), "cyan", Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8},
		outline)
	robot.Move(spatial.Planar(x, y, heading), mgl64.Vec3{})
	return robot
}

// allPairs returns the visible fraction of a target.
func allPairs(vp *Viewpoint, env *Environment, target int, o *TargetViews) float64 {
	self := &o.all[target]
	if self.out || self.distance > vp.MaxRange || self.distance == 0 {
		return 0
	}
	hiding := env.Walls.appendHiding(nil, &vp.PoseWC.Pos, self.toX, self.toY, self.reach)
	var before []occluder
	for _, i := range o.candidates {
		if s := &o.all[i]; i != target && s.mayHide(self) {
			before = append(before, occluder{s: s, t: &env.Targets[i]})
		}
	}
	c := column{view: vp, self: self, target: &env.Targets[target], small: self.to-self.from < 0.3,
		azimuth: bearing(&env.ahead, self.toX, self.toY)}
	if h := vp.SelfOcclusion; h != nil && h.hidesAny(self.from, self.to) &&
		!h.hidesNone(c.azimuth, arcsine(self.sin), self.from, self.to) {
		c.occlusion = h
	}
	if len(before) == 0 && len(hiding) == 0 && self.whole && c.occlusion == nil {
		return 1
	}
	middle := planeDir{1, 0}
	if self.flat > 0 {
		middle = planeDir{self.toX / self.flat, self.toY / self.flat}
	}
	turn := 0.0
	if c.target.Outline != nil {
		turn = bearing(&c.target.ahead, middle.x, middle.y)
	}
	all, shown := 0.0, 0.0
	for k := range columns {
		var set slopes
		sin := self.sin * offset(k)
		cos, width, aside := slant(sin)
		c.dir = planeDir{middle.x*cos - middle.y*sin, middle.x*sin + middle.y*cos}
		near := fillAll(&c, &set, k, self.flat*cos, turn+aside)
		if set.n == 0 {
			continue
		}
		size := width * set.size(c.small)
		all += size
		part := !self.whole
		if c.occlusion != nil {
			part = c.occlusion.subtractFrom(&set, c.azimuth+aside) || part
		}
		for i := range before {
			turn := bearing(&before[i].t.ahead, middle.x, middle.y) + aside
			part = subtractAll(&c.dir, &set, near, &before[i], turn) || part
		}
		for _, i := range hiding {
			part = c.dir.subtractSolid(&set, &vp.PoseWC.Pos, near, &env.Walls.boxes[i]) || part
		}
		if part {
			size = width * c.imagedSize(&set)
		}
		shown += size
	}
	if all == 0 {
		return 0
	}
	return shown / all
}

// fillAll sets the slopes at which the k-th plane intersects the target, and returns the distance of its nearest point.
func fillAll(c *column, set *slopes, k int, ahead, turn float64) (nearest float64) {
	s := c.self
	if c.target.Shape.Kind == Sphere {
		half := s.reach * math.Sqrt(1-offset(k)*offset(k))
		if from, to, ok := discSlopes(ahead, s.base, half); ok {
			set.set(from, to)
		}
		return ahead - half
	}
	nearest = math.Inf(1)
	outline := c.target.Outline
	for p := outline.column(turn, k); p != nil; p = outline.after(p) {
		if from, to, ok := walk(outline, p, ahead, s.base); ok {
			nearest = min(nearest, ahead+float64(p.from))
			set.add(from, to)
		}
	}
	return nearest
}

// subtractAll removes from a set the slopes at which the plane intersects an occluder nearer than a distance.
func subtractAll(l *planeDir, set *slopes, maxDistance float64, o *occluder, turn float64) (changed bool) {
	s := o.s
	ahead, beside := l.x*s.toX+l.y*s.toY, l.y*s.toX-l.x*s.toY
	if math.Abs(beside) >= s.reach || ahead-s.reach > maxDistance {
		return false
	}
	if o.t.Shape.Kind == Sphere {
		half := math.Sqrt(s.reach*s.reach - beside*beside)
		from, to, ok := discSlopes(ahead, s.base, half)
		return ok && ahead-half < maxDistance && set.subtract(from, to)
	}
	for p := o.t.Outline.pieceAt(turn, beside); p != nil; p = o.t.Outline.after(p) {
		if from, to, ok := walk(o.t.Outline, p, ahead, s.base); ok && ahead+float64(p.from) < maxDistance {
			changed = set.subtract(from, to) || changed
		}
	}
	return changed
}

// walk returns the lowest and highest slope of a piece, by walking from corner to corner from an end of the side that
// shows them as long as the slopes become lower or higher.
func walk(s *Silhouette, p *piece, ahead, base float64) (from, to float64, ok bool) {
	if p.near == 0 || ahead+float64(p.to) <= 0 {
		return 0, 0, false
	}
	corners := s.corners[p.corners:][:p.near+p.far]
	near, end := int(p.near), len(corners)
	i, last := near, end
	if base+float64(corners[0].z) > 0 {
		i, last = 0, near
	}
	run, rise := corners[i].at(ahead, base)
	for i++; i < last; i++ {
		x, z := corners[i].at(ahead, base)
		if z*run <= rise*x {
			break
		}
		run, rise = x, z
	}
	to = rise / run
	i, last = end-1, near
	if base+float64(corners[near-1].z) < 0 {
		i, last = near-1, 0
	}
	run, rise = corners[i].at(ahead, base)
	for i--; i >= last; i-- {
		x, z := corners[i].at(ahead, base)
		if z*run >= rise*x {
			break
		}
		run, rise = x, z
	}
	return rise / run, to, true
}

// The slopes of every piece are those of a walk, also around the distance from which the walk has one step.
func TestSlopesAsWalk(t *testing.T) {
	body := NewSilhouette(fieldRobot())
	pieces, distant := append(body.lines[:len(body.lines):len(body.lines)], body.more[1:]...), 0
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]float64{0, -0.73, -distantBase, distantBase,
			rapid.Float64Range(-3, 3).Draw(t, "any base")}).Draw(t, "base")
		for i := range pieces {
			p := &pieces[i]
			for _, ahead := range []float64{rapid.Float64Range(-1, 15).Draw(t, "ahead"), float64(p.distant),
				float64(p.distant) + rapid.Float64Range(-0.01, 0.01).Draw(t, "off")} {
				from, to, ok := body.slopes(p, ahead, base)
				wantFrom, wantTo, want := walk(body, p, ahead, base)
				if from != wantFrom || to != wantTo || ok != want {
					t.Fatalf("piece %d at %v m and %v m: %v to %v (%v), want %v to %v (%v)", i, ahead, base, from, to, ok,
						wantFrom, wantTo, want)
				}
				if ok && ahead >= float64(p.distant) {
					distant++
				}
			}
		}
	})
	if distant < 1000 {
		t.Errorf("%d pieces were distant, want at least 1000", distant)
	}
}
